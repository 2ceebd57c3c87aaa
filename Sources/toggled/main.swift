// SPDX-License-Identifier: MIT

import Glibc
import Service
import System

// Nobody is left to tell where standard error is gone; the status still says it.
switch Options.parse(Array(CommandLine.arguments.dropFirst())) {
case .serve(let options):
  exit(Daemon.run(options))
case .print(let text):
  do throws(OutputError) {
    try StandardOutput.write(text)
  } catch {
    try? StandardError.writeLine("toggled: can't write to standard output: \(error)")
    exit(EXIT_FAILURE)
  }
case .usage(let message):
  try? StandardError.writeLine("toggled: \(message)")
  exit(2)
}
