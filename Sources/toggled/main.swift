// SPDX-License-Identifier: MIT

import Glibc
import Service
import System

switch Options.parse(Array(CommandLine.arguments.dropFirst())) {
case .serve(let options):
  exit(Daemon.run(options))
case .print(let text):
  do {
    try StandardOutput.write(text)
  } catch {
    exit(EXIT_FAILURE)
  }
case .usage(let message):
  // Nobody is left to tell when standard error is gone; the status still says it.
  try? StandardError.writeLine("toggled: \(message)")
  exit(2)
}
