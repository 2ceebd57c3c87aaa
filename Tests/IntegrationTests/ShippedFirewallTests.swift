// SPDX-License-Identifier: MIT

import TestSupport
import Testing

/// The firewall that ships, where ufw, firewalld and nftables are installed.
@MainActor
@Suite("the firewall that ships, of several", .serialized, .needsMachine)
struct ShippedFirewallTests {
  private let machine: Machine

  /// Not the one that others use, as its firewall is.
  private static let ownMachine = Result { try Machine(binding: [Machine.products]) }

  init() throws {
    machine = try Self.ownMachine.get()
  }

  private static let firewalld = "firewalld.service"

  /// A daemon that starts when ufw is as told and these have run, and then finds the row on.
  private func scene(ufw: Bool, _ preparations: [[String]]) throws -> ShippedScene {
    let row = ShippedRow(
      id: "firewall",
      preparations: [["systemctl", "unmask", Self.firewalld]] + preparations + [Self.ufw(ufw)],
      reader: [], texts: ("", ""), setters: ([], []))
    let scene = try ShippedScene(row, in: machine, isAlone: true)
    try scene.client.await("firewall", "on")
    return scene
  }

  private static func ufw(_ on: Bool) -> [String] {
    on ? ["ufw", "--force", "enable"] : ["ufw", "disable"]
  }

  nonisolated private static let ends = [["systemctl", "disable", "--now", "firewalld.service"]]

  /// What runs.
  private func running() throws -> Set<String> {
    var running: Set<String> = []
    if try machine.run(["ufw", "status"]).output.hasPrefix("Status: active") {
      running.insert("ufw")
    }
    for name in ["firewalld", "nftables"] {
      let state = try machine.run(["systemctl", "is-active", "\(name).service"]).output
      if state == "active\n" { running.insert(name) }
    }
    return running
  }

  @Test(
    "is ufw that is on, also after it was turned off, however firewalld is kept from running",
    arguments: [
      ["disable", "--now"], ["mask", "--now"], ["enable"],
    ])
  func ufwInUse(_ verb: [String]) throws {
    let scene = try scene(ufw: true, Self.ends + [["systemctl"] + verb + ["firewalld.service"]])
    for _ in 1...2 {
      #expect(try running() == ["ufw"])
      #expect(try scene.client.setOn("firewall", false) == "ok [true]")
      #expect(try scene.client.get("firewall", "State") == #""off""#)
      #expect(try running() == [])
      #expect(try scene.client.setOn("firewall", true) == "ok [true]")
    }
  }

  @Test("is firewalld that runs, also after it was turned off, until ufw is on")
  func firewalldInUse() throws {
    let start = ["systemctl", "enable", "--now", Self.firewalld]
    let scene = try scene(ufw: false, [start])
    for _ in 1...2 {
      #expect(try running() == ["firewalld"])
      #expect(try scene.client.setOn("firewall", false) == "ok [true]")
      #expect(try running() == [])
      #expect(try scene.client.setOn("firewall", true) == "ok [true]")
    }
    #expect(try scene.client.setOn("firewall", false) == "ok [true]")
    try scene.run(Self.ufw(true))
    try scene.client.await("firewall", "on")
    #expect(try scene.client.setOn("firewall", false) == "ok [true]")
    #expect(try running() == [])
    #expect(try scene.client.setOn("firewall", true) == "ok [true]")
    #expect(try running() == ["ufw"])
  }

  @Test("turned off, all are that were on, and turned on, the preferred one of them is")
  func several() throws {
    // In this order, for the start of nftables takes ufw's rules away.
    let scene = try scene(
      ufw: true, Self.ends + [["systemctl", "enable", "--now", "nftables.service"]])
    #expect(try running() == ["ufw", "nftables"])
    #expect(try scene.client.setOn("firewall", false) == "ok [true]")
    #expect(try running() == [])
    #expect(try scene.client.setOn("firewall", true) == "ok [true]")
    #expect(try running() == ["ufw"])
  }
}
