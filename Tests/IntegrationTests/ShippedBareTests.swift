// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

@Suite("the rows that ship on a machine that has nothing of what they switch", .serialized)
struct ShippedBareTests {
  private static let reasons: [(id: String, state: String, reason: String)] = [
    // It has a wish of its own.
    ("airplane_mode", "off", "no-service"),
    ("wifi", "unknown", "no-service"), ("bluetooth", "unknown", "no-device"),
    ("mobile_data", "unknown", "no-service"), ("low_power", "unknown", "no-service"),
    ("automatic_time", "unknown", "no-service"), ("automatic_updates", "unknown", "no-service"),
    ("remote_login", "unknown", "no-service"), ("printing", "unknown", "no-service"),
  ]

  @Test("are there all the same, unavailable and with a reason")
  func published() throws {
    let bus = try PrivateBus(.system)
    let directory = try TemporaryDirectory()
    let scene = try ShippedScene(
      on: bus, in: directory, arguments: ["--rfkill", directory.path("rfkill")])
    for (id, state, reason) in Self.reasons {
      try scene.client.await(id, ["Reason": "\"\(reason)\"", "Available": "false"])
      #expect(try scene.client.get(id, "State") == "\"\(state)\"", "\(id)")
      #expect(try scene.client.get(id, "ReasonText") != #""""#, "\(id)")
    }
  }

  @Test(
    "location is unavailable where systemd does not run, geoclue installed or not",
    .enabled(if: !Files.exists("/run/systemd/system"), "systemd runs here"))
  func locationWithoutSystemd() throws {
    let bus = try PrivateBus(.system)
    let directory = try TemporaryDirectory()
    let scene = try ShippedScene(on: bus, in: directory)
    try scene.client.await("location", ["Reason": #""no-service""#, "Available": "false"])
    #expect(try scene.client.get("location", "State") == #""unknown""#)
  }
}
