// SPDX-License-Identifier: MIT

import Backends
import DBus
import DBusTypes
import EventLoop
import Glibc
import Settings
import TestSupport
import Testing

/// What values mean, and what is written, against a service in this process.
@MainActor
@Suite("a dbus row's backend")
struct DBusBackendTests {
  /// A thing with a property of each of several types.
  @MainActor
  final class Thing {
    var flag = false
    var mode = "calm"
    var level: UInt8 = 0
    var count: Int32 = 0
    var share = 0.5
    var names: [String] = []
    var path: ObjectPath = "/none"

    static let table = InterfaceTable<Thing>(
      "org.example.Thing1",
      properties: [
        .readWrite(
          "Flag", get: { $0.flag },
          set: {
            $0.flag = $1; $2.reply()
          }),
        .readWrite(
          "Mode", get: { $0.mode },
          set: {
            $0.mode = $1; $2.reply()
          }),
        .readWrite(
          "Level", get: { $0.level },
          set: {
            $0.level = $1; $2.reply()
          }),
        .readWrite(
          "Count", get: { $0.count },
          set: {
            $0.count = $1; $2.reply()
          }),
        .readWrite(
          "Share", get: { $0.share },
          set: {
            $0.share = $1; $2.reply()
          }),
        .readWrite(
          "Names", get: { $0.names },
          set: {
            $0.names = $1; $2.reply()
          }),
        .readWrite(
          "Path", get: { $0.path },
          set: {
            $0.path = $1; $2.reply()
          }),
      ])
  }

  private let stage: Stage
  private let bus: PrivateBus
  private let link: BusLink
  private let service: Connection
  private let tree: ObjectTree
  private let thing = Thing()
  private let binding: InterfaceBinding

  init() throws {
    stage = try Stage()
    bus = try PrivateBus()
    let own = try Connection(.address(bus.address))
    try own.attach(to: stage.loop)
    link = BusLink(.session, own, on: stage.loop)
    service = try Connection(.address(bus.address))
    tree = ObjectTree(service)
    binding = Thing.table.bound(to: thing)
    tree.export(at: "/thing", binding)
    _ = try service.requestName("org.example.Things")
    try service.attach(to: stage.loop)
  }

  private func backend(
    _ property: MemberName, on: [String], off: [String], timeout: Duration = patience,
    link: BusLink? = nil
  ) throws -> DBusBackend {
    let definition = DBusBackendDefinition(
      bus: .session, service: "org.example.Things", target: .object("/thing"),
      interface: "org.example.Thing1", property: property,
      on: try on.map { try VariantText.parse($0) }, off: try off.map { try VariantText.parse($0) })
    return DBusBackend(definition, timeout: timeout, loop: stage.loop, link: link ?? self.link)
  }

  private struct Case: CustomTestStringConvertible, Sendable {
    let property: String
    let on: [String]
    var off: [String] = []
    let meaning: String

    var testDescription: String { "\(property) by On=\(on) Off=\(off): \(meaning)" }
  }

  @Test(
    "a value means on or off by its own type",
    arguments: [
      Case(property: "Flag", on: ["true"], off: ["false"], meaning: "off"),
      Case(property: "Flag", on: ["false"], off: ["true"], meaning: "on"),
      Case(property: "Flag", on: ["1"], off: ["0"], meaning: "unrecognised"),
      Case(property: "Mode", on: ["'calm'"], off: ["'wild'"], meaning: "on"),
      Case(property: "Mode", on: ["'wild'"], off: ["'quiet'", "'calm'"], meaning: "off"),
      Case(property: "Mode", on: ["'wild'"], meaning: "off"),
      Case(property: "Mode", on: ["'wild'"], off: ["'quiet'"], meaning: "unrecognised"),
      // Of a type that On can't have: no word about off, though Off is everything else.
      Case(property: "Mode", on: ["true"], meaning: "unrecognised"),
      Case(property: "Level", on: ["1"], off: ["0"], meaning: "off"),
      Case(property: "Level", on: ["byte 1"], off: ["byte 0"], meaning: "off"),
      Case(property: "Level", on: ["300"], off: ["0"], meaning: "off"),
      Case(property: "Level", on: ["uint32 1"], off: ["uint32 0"], meaning: "unrecognised"),
      Case(property: "Count", on: ["-1"], off: ["0"], meaning: "off"),
      Case(property: "Share", on: ["0.5"], off: ["0"], meaning: "on"),
      Case(property: "Share", on: ["1"], off: ["0"], meaning: "unrecognised"),
      Case(property: "Names", on: ["['a']"], off: ["@as []"], meaning: "off"),
      Case(property: "Names", on: ["['a']"], off: ["[]"], meaning: "off"),
      Case(property: "Path", on: ["'/some'"], off: ["'/none'"], meaning: "off"),
      Case(property: "Nothing", on: ["true"], off: ["false"], meaning: "not-found"),
    ])
  private func meaning(example: Case) throws {
    let backend = try backend(
      try #require(MemberName(example.property)), on: example.on, off: example.off)
    stage.start(backend)
    try stage.turn { !stage.reports.isEmpty }
    #expect(stage.reports.map(\.summary) == [example.meaning])
  }

  @Test("the first of the values is written, as the property's type")
  func write() throws {
    #expect(try stage.write(backend("Flag", on: ["true"], off: ["false"]), true).failureKind == nil)
    #expect(thing.flag)
    let mode = try backend("Mode", on: ["'wild'", "'mad'"], off: ["'quiet'", "'calm'"])
    #expect(try stage.write(mode, true).failureKind == nil)
    #expect(thing.mode == "wild")
    #expect(try stage.write(mode, false).failureKind == nil)
    #expect(thing.mode == "quiet")
    #expect(try stage.write(backend("Level", on: ["7"], off: ["0"]), true).failureKind == nil)
    #expect(thing.level == 7)
    #expect(try stage.write(backend("Share", on: ["1"], off: ["0"]), true).failureKind == nil)
    #expect(thing.share == 1)
    #expect(try stage.write(backend("Names", on: ["['a']"], off: ["[]"]), true).failureKind == nil)
    #expect(thing.names == ["a"])
    #expect(try stage.write(backend("Names", on: ["['a']"], off: ["[]"]), false).failureKind == nil)
    #expect(thing.names == [])
  }

  @Test("a value that can't be written is said to be so, and nothing is called")
  func unwritable() throws {
    let level = try backend("Level", on: ["300"], off: ["0"])
    #expect(try stage.write(level, true).failureKind == .backendFailed)
    let anything = try backend("Mode", on: ["'wild'"], off: [])
    #expect(try stage.write(anything, false).failureKind == .notSupported)
    let nothing = try backend("Nothing", on: ["true"], off: ["false"])
    #expect(try stage.write(nothing, true).failureKind == .unavailable)
    #expect(thing.level == 0)
    #expect(thing.mode == "calm")
  }

  @Test("rows of one interface share one reading, and each follows its own property")
  func shared() throws {
    let flag = try backend("Flag", on: ["true"], off: ["false"])
    let mode = try backend("Mode", on: ["'wild'"], off: ["'calm'"])
    var (flags, modes): ([String], [String]) = ([], [])
    flag.start { flags.append($0.summary) }
    mode.start { modes.append($0.summary) }
    try stage.turn { !flags.isEmpty && !modes.isEmpty }
    thing.flag = true
    binding.changed("Flag")
    try stage.turn { flags.last == "on" }
    thing.mode = "wild"
    binding.changed("Mode")
    try stage.turn { modes.last == "on" }
    #expect(flags == ["off", "on"])
    #expect(modes == ["off", "on"])
    // One that comes later knows at once what the others know.
    let late = try backend("Mode", on: ["'wild'"], off: ["'calm'"])
    stage.start(late)
    #expect(stage.reports == [.on])
  }

  @Test("one that stops hears nothing more, and the others do")
  func stopped() throws {
    let first = try backend("Flag", on: ["true"], off: ["false"])
    let second = try backend("Flag", on: ["true"], off: ["false"])
    var answers = 0
    stage.start(first)
    var seconds: [Reading] = []
    second.start { seconds.append($0) }
    try stage.turn { !seconds.isEmpty && !stage.reports.isEmpty }
    first.read { _ in answers += 1 }
    first.stop()
    stage.forgetReports()
    thing.flag = true
    binding.changed("Flag")
    try stage.turn { seconds.last == .on }
    #expect(stage.reports == [])
  }

  @Test("a backend that was stopped and dropped leaves nothing behind")
  func released() throws {
    weak var gone: DBusBackend?
    do {
      let backend = try backend("Flag", on: ["true"], off: ["false"])
      gone = backend
      stage.start(backend)
      try stage.turn { !stage.reports.isEmpty }
      backend.stop()
    }
    #expect(gone == nil)
    // A new one reads anew.
    stage.forgetReports()
    thing.flag = true
    let next = try backend("Flag", on: ["true"], off: ["false"])
    stage.start(next)
    try stage.awaitReport(.on)
  }

  @Test("a flip that was given up while the bus hung does nothing when the bus goes on")
  func lateFlip() throws {
    let link = BusLink(
      .session, at: .address(bus.address), on: stage.loop, greetingTime: patience,
      notice: stage.note)
    try bus.daemon?.send(SIGSTOP)
    let hasty = try backend(
      "Flag", on: ["true"], off: ["false"], timeout: .milliseconds(100), link: link)
    #expect(try stage.write(hasty, true).failureKind == .unavailable)
    try bus.daemon?.send(SIGCONT)
    let patient = try backend("Flag", on: ["true"], off: ["false"], link: link)
    #expect(try stage.read(patient) == .off)
    #expect(!thing.flag)
    #expect(try stage.write(patient, true).failureKind == nil)
    #expect(thing.flag)
  }
}
