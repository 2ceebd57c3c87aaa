// SPDX-License-Identifier: MIT

import Glibc
import System
import TestSupport
import Testing

@MainActor
@Suite("togglectl watch", .serialized)
struct ClientWatchTests {
  private let stage: Stage

  init() throws {
    stage = try Stage.serving(["lamp.row": RowText.stored(), "fan.row": RowText.stored("Fan")])
  }

  @Test("it begins with the present state, and says a line a change, whoever made it")
  func changes() throws {
    let watch = try Togglectl(session: stage).start("watch", "lamp")
    try watch.waitForLine { $0.hasPrefix("lamp off") }
    let peer = try Peer(stage)
    try peer.setOn("fan", true)
    try peer.setOn("lamp", true)
    try watch.waitForLine { $0.hasPrefix("lamp on") }
    #expect(!watch.text().contains("fan"))
    try watch.send(SIGINT)
    #expect(try watch.waitForExit() != .exited(1))
  }

  @Test("a restart of the daemon is lost and back again, and never off", arguments: [false, true])
  func restart(_ isKilled: Bool) throws {
    try Peer(stage).setOn("lamp", true)
    let watch = try Togglectl(session: stage).start("watch", "lamp")
    try watch.waitForLine { $0.hasPrefix("lamp on") }
    try stage.stop(isKilled ? SIGKILL : SIGTERM)
    try watch.waitForLine { $0.contains("lost") }
    try stage.start()
    try watch.waitForLine { $0.hasPrefix("lamp on") }
    #expect(!watch.text().contains("off"), "\(watch.text())")
    try Peer(stage).setOn("lamp", false)
    try watch.waitForLine { $0.hasPrefix("lamp off") }
  }

  @Test("JSON says that the daemon is lost, with the state unknown")
  func lostInJSON() throws {
    let watch = try Togglectl(session: stage).start("--json", "watch", "lamp")
    try watch.waitForLine(containing: "\"event\":\"snapshot\"")
    try stage.stop()
    let line = try watch.waitForLine(containing: "\"event\":\"lost\"")
    #expect(line.contains("\"state\":\"unknown\""), "\(line)")
    #expect(line.contains("\"is_on\":false"), "\(line)")
  }

  @Test("rows that come and go are told")
  func rows() throws {
    let watch = try Togglectl(session: stage).start("--json", "watch")
    try watch.waitForLine(containing: "\"id\":\"lamp\"")
    try stage.write("heat.row", RowText.stored("Heat"))
    let added = try watch.waitForLine(containing: "\"event\":\"added\"")
    #expect(added.contains("\"id\":\"heat\""))
    try stage.remove("heat.row")
    let removed = try watch.waitForLine(containing: "\"event\":\"removed\"")
    #expect(removed.contains("\"id\":\"heat\""))
  }

  @Test("a reader that goes ends it at its next line")
  func closedPipe() throws {
    let watch = try Togglectl(session: stage).start("watch")
    try watch.waitForLine(containing: "lamp")
    watch.stopReading(.output)
    try Peer(stage).setOn("lamp", true)
    #expect(try watch.waitForExit() == .signalled(SIGPIPE))
  }

  @Test("a silent one notices by itself that its reader is gone")
  func silentClosedPipe() throws {
    let watch = try Togglectl(session: stage).start("watch")
    try watch.waitForLine(containing: "lamp")
    watch.stopReading(.output)
    try watch.waitForExit()
    #expect(watch.exitStatus == .signalled(SIGPIPE) || watch.exitStatus == .exited(0))
  }

  @Test("a lost bus ends it with a line and 6")
  func lostBus() throws {
    let watch = try Togglectl(session: stage).start("watch")
    try watch.waitForLine(containing: "lamp")
    try stage.bus.stop()
    #expect(try watch.waitForExit() == .exited(6))
    #expect(watch.text(.error).split(separator: "\n").count == 1, "\(watch.text(.error))")
  }
}
