// SPDX-License-Identifier: MIT

import DBusTypes
import Settings
import TestSupport
import Testing

@testable import EventLoop

/// When a key is read by a program, and when what is known will do.
@MainActor
@Suite("a gsettings row's backend", .serialized)
struct GSettingsBackendTests {
  private let dconf: DConfStage
  private var stage: Stage { dconf.stage }

  init() throws {
    dconf = try DConfStage()
  }

  /// Starts it with a lamp that is off; both values have been seen, and no program can be asked
  /// any more.
  private func startKnowing() throws {
    try dconf.replace(lit: false)
    try dconf.start()
    try stage.awaitReport(.off)
    try dconf.learn()
    try dconf.forgetSchema()
    stage.forgetReports()
  }

  @Test("a value that has been read before is known, and no program runs for it")
  func known() throws {
    try startKnowing()
    for (index, lit) in [true, false, true].enumerated() {
      try dconf.replace(lit: lit, besides: "other=\(index)\n")
      try dconf.notify()
      try stage.turn("a report") { stage.reports.count > index }
      #expect(stage.reports.last == Reading(lit))
    }
    // One that is not there in the database is what the schema says, which is asked for.
    try dconf.replace("[org/example]\nlamp=true\n")
    try dconf.notify()
    try stage.awaitProblem(.notFound)
  }

  @Test("Refresh asks all the same")
  func refresh() throws {
    try startKnowing()
    #expect(try stage.read(dconf.backend).problem?.reason == .notFound)
  }

  @Test("what dconf tells of another database has the key asked for from then on")
  func elsewhere() throws {
    try startKnowing()
    try dconf.notify(by: "/ca/desrt/dconf/Writer/other")
    try stage.awaitProblem(.notFound)
    stage.forgetReports()
    try dconf.replace(lit: true)
    try dconf.notify()
    try stage.turn("a report") { !stage.reports.isEmpty }
    #expect(stage.reports.last?.problem?.reason == .notFound)
  }

  @Test("a lock that may have come or gone has the key asked for")
  func writability() throws {
    try startKnowing()
    try dconf.notify([.string(DConfStage.path)], member: "WritabilityNotify")
    try stage.awaitProblem(.notFound)
  }

  @Test("a change while the key is being read is not missed")
  func meanwhile() throws {
    try dconf.replace(lit: false)
    try dconf.start()
    for lit in [true, false, true, false, true] {
      try dconf.replace(lit: lit)
      try dconf.notify()
      try stage.loop.turn(atMost: .zero)
    }
    try stage.awaitReport(.on)
    #expect(try stage.read(dconf.backend) == .on && stage.reports.last == .on)
  }

  @Test("a notice of any shape does no harm")
  func hostile() throws {
    try dconf.replace(lit: false)
    try dconf.start()
    try stage.awaitReport(.off)
    let long = String(repeating: "/x", count: 100_000)
    let shapes: [[Value]] = [
      [], [.uint32(7)], [.string("")], [.string(long), .array(of: .string, [.string(long)])],
      [.string("\(DConfStage.path)lit")], [.string("/"), .uint32(1), .string("")],
      [.string("/"), .array(of: .string, []), .string("")],
      [.string("lit"), .array(of: .string, [.string("lit")]), .string("")],
    ]
    for shape in shapes { try dconf.notify(shape) }
    try dconf.replace(lit: true)
    try dconf.notify()
    try stage.awaitReport(.on)
    #expect(try stage.read(dconf.backend) == .on && stage.reports.last == .on)
  }
}
