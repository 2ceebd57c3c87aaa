// SPDX-License-Identifier: MIT

import Client
import Glibc

exit(Togglectl.run(Array(CommandLine.arguments.dropFirst())))
