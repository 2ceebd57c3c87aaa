// SPDX-License-Identifier: MIT
#pragma once
#include <sys/epoll.h>
