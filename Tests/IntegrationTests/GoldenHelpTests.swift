// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

@Suite("Golden help", .serialized)
struct GoldenHelpTests {
  @Test("toggled --help is as it was, on standard output")
  func daemon() throws {
    let outcome = try Program.run([try Products.path("toggled"), "--help"])
    #expect(outcome.status == .exited(0))
    #expect(outcome.error == "")
    try Golden.expect(outcome.output, is: "toggled-help.txt")
  }

  @Test("toggled tells a wrong option in a line on standard error, and exits with 2")
  func daemonUsage() throws {
    let outcome = try Program.run([try Products.path("toggled"), "--frobnicate"])
    #expect(outcome.status == .exited(2))
    #expect(outcome.output == "")
    #expect(outcome.error == "toggled: unknown argument '--frobnicate'; see toggled --help\n")
  }
}
