// SPDX-License-Identifier: MIT

import Client
import Glibc

exit(Togglectl.run(CommandLine.arguments.dropFirst()))
