// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Glibc
import System
import TestSupport
import Testing

/// Daemons that are killed while values are written, a thousand times in all.
///
/// Each life of a daemon is short: a burst of flips to several rows, and SIGKILL after as many
/// answers as chance has it. What was answered has to be on the disk at every kill.
@MainActor
@Suite("a thousand kills", .serialized)
struct DaemonKillTests {
  private static let ids = (0..<8).map { "row\($0)" }
  /// How many daemons are killed on one stage.
  private static let kills = 100

  @Test("lose no flip that was answered, and leave no torn file", arguments: 0..<10)
  func kills(_ seed: UInt64) throws {
    var random = SplitMix(state: seed &+ 1000)
    let rows = Dictionary(
      uniqueKeysWithValues: Self.ids.map { ("\($0).row", RowText.stored()) })
    let stage = try Stage(.session, rows)
    // What each row may be: the last value that was answered, and what was asked for since.
    var allowed = Dictionary(uniqueKeysWithValues: Self.ids.map { ($0, Set([false])) })
    var answered = 0
    for kill in 0..<Self.kills {
      try stage.start()
      let peer = try Peer(stage)
      let calls = (0..<Int.random(in: 1...16, using: &random)).map { _ in
        let id = Self.ids.randomElement(using: &random) ?? ""
        let on = Bool.random(using: &random)
        return (id: id, on: on, call: peer.sendSetOn(id, on))
      }
      let count = Int.random(in: 0...calls.count, using: &random)
      try peer.wait("\(count) answers") { calls.count { $0.call.outcome != nil } >= count }
      try stage.stop(SIGKILL)
      try peer.wait("all answers") { calls.allSatisfy { $0.call.outcome != nil } }
      for (id, on, call) in calls {
        switch call.outcome {
        case .success?:
          allowed[id] = [on]
          answered += 1
        case .failure(let error)? where error.name == "org.toggled.Error.Superseded": break
        default: allowed[id]?.insert(on)
        }
      }
      try check(stage, &allowed, "kill \(kill)")
    }
    #expect(answered > Self.kills)
    #expect(!stage.log.contains("damaged"), "\(stage.log)")
    // The next daemon says what is there, and clears away what the last kill left.
    try stage.start()
    let peer = try Peer(stage)
    for id in Self.ids {
      #expect(try peer.state(id) == (allowed[id] == [true] ? "on" : "off"))
    }
    try stage.stop()
    #expect(try stage.storedFiles().allSatisfy(Self.ids.contains))
  }

  /// What is on the disk, as it is while no daemon runs; and from now on each row may be that.
  private func check(
    _ stage: Stage, _ allowed: inout [String: Set<Bool>], _ what: String
  ) throws {
    for id in Self.ids {
      let path = "\(stage.state)/\(id)"
      var isOn = false
      if Files.exists(path) {
        let text = String(decoding: try Files.read(path, limit: 64), as: UTF8.self)
        #expect(text == "on\n" || text == "off\n", "\(what): \(id)")
        isOn = text == "on\n"
      }
      #expect(allowed[id]?.contains(isOn) == true, "\(what): \(id) is \(isOn)")
      allowed[id] = [isOn]
    }
  }
}
