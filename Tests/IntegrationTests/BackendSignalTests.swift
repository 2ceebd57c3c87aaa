// SPDX-License-Identifier: MIT

import EventLoop
import TestSupport
import Testing

/// How a change of the service's property becomes one of the row: by its signals, or without any.
@Suite("a dbus row and changes of its property")
struct BackendSignalTests {
  private static let service = BackendAnswerTests.service
  private static let path = "/org/toggled/rows/radio"
  private static let radio = "/radio org.example.Radio1 Powered"

  private func row(_ more: String...) -> String {
    BackendAnswerTests.row("Powered", more.joined(separator: "\n"))
  }

  @Test("PropertiesChanged with the value is believed without asking")
  func value() throws {
    let scene = try BackendScene(["radio": row()])
    let service = try scene.service(Self.service)
    try scene.client.await("radio", "off")
    for on in [true, false] {
      try service.tell("change \(Self.radio) \(on)")
      try scene.client.await("radio", on ? "on" : "off")
    }
    #expect(service.countCalls("Get") == 0)
    #expect(service.countCalls("GetAll") == 1)
  }

  @Test("PropertiesChanged that only invalidates is followed by a Get")
  func invalidated() throws {
    let scene = try BackendScene(["radio": row()])
    let service = try scene.service(Self.service)
    try scene.client.await("radio", "off")
    try service.tell("change \(Self.radio) true invalidate")
    try service.waitForCall("Get")
    try scene.client.await("radio", "on")
  }

  @Test("a thousand invalidations are not a thousand Gets, and the last value counts")
  func invalidatedOften() throws {
    let scene = try BackendScene(["radio": row()])
    let service = try scene.service(Self.service + ["answer Get hold"])
    try scene.client.await("radio", "off")
    try service.tell((0..<1000).map { "change \(Self.radio) \($0 % 2 == 0) invalidate" })
    try service.waitForCall("Get")
    try service.tell("change \(Self.radio) true invalidate", "answer Get normal", "free")
    try scene.client.await("radio", "on")
    #expect(service.countCalls("Get") <= 3)
  }

  @Test("an invalidated property that no row shows is not asked for")
  func invalidatedOther() throws {
    let scene = try BackendScene(["radio": row()])
    let service = try scene.service(Self.service)
    try scene.client.await("radio", "off")
    try service.tell(
      "change /radio org.example.Radio1 Mode '\"wild\"' invalidate",
      "change \(Self.radio) true invalidate")
    try scene.client.await("radio", "on")
    #expect(service.countCalls("Get") == 1)
  }

  @Test("a property that never signals is read again after a flip of ours")
  func silentFlip() throws {
    let scene = try BackendScene(["radio": row()])
    let service = try scene.service(Self.service + ["signals none"])
    try scene.client.await("radio", "off")
    #expect(try scene.client.setOn("radio", true) == "ok [true]")
    try scene.requireAlive(["radio": "on"])
    withExtendedLifetime(service) {}
  }

  @Test("a property that never signals is read again on Refresh")
  func silentRefresh() throws {
    let scene = try BackendScene(["radio": row()])
    let service = try scene.service(Self.service)
    try scene.client.await("radio", "off")
    try service.tell("change \(Self.radio) true none")
    #expect(try scene.client.get("radio", "State") == #""off""#)
    #expect(try scene.client.call("radio", "Refresh") == "ok []")
    #expect(try scene.client.get("radio", "State") == #""on""#)
    #expect(service.countCalls("Set") == 0)
  }

  @Test("a property that never signals is read again every Interval")
  func silentInterval() throws {
    let scene = try BackendScene(["radio": row("Interval=1")])
    let service = try scene.service(Self.service)
    try scene.client.await("radio", "off")
    try service.tell("change \(Self.radio) true none")
    try scene.client.await("radio", "on")
    try service.tell("change \(Self.radio) false none")
    try scene.client.await("radio", "off")
  }

  @Test("a thousand changes at once are few announcements, and the last one is right")
  func flapping() throws {
    let scene = try BackendScene(["radio": row()])
    let service = try scene.service(Self.service)
    try scene.client.await("radio", "off")
    let before = scene.client.announced("radio", "IsOn").count
    let start = EventLoop.now
    try service.tell("flap \(Self.radio) 999 true false", "change \(Self.radio) true")
    // Flips are not held back, and their signal comes before their answer.
    #expect(try scene.client.setOn("radio", true).hasPrefix("ok "))
    try scene.client.await("radio", "on")
    #expect(try scene.client.setOn("radio", false) == "ok [true]")
    let announced = scene.client.announced("radio", "IsOn").count - before
    // Twenty a second, and those of the two flips.
    let most = (EventLoop.now - start) / .milliseconds(50) + 3
    #expect(announced > 0 && Double(announced) <= most, "\(announced) announcements")
    #expect(scene.client.announced("radio", "State").last == #""off""#)
    #expect(try scene.client.get("radio", "State") == #""off""#)
  }

  @Test("a peer in a reset loop is told of twenty times a second at most, each time another value")
  func resetLoop() throws {
    let scene = try BackendScene(["radio": row()])
    let service = try scene.service(Self.service)
    try scene.client.await("radio", "off")
    let signals = {
      scene.client.signals.filter { $0.hasPrefix("PropertiesChanged \(Self.path) ") }
    }
    let before = signals().count
    let start = EventLoop.now
    // A thousand changes, and twenty times its last value is waited for.
    for round in 0..<20 {
      let on = round % 2 == 0
      try service.tell("flap \(Self.radio) 50 \(!on) \(on)")
      try scene.client.await("radio", on ? "on" : "off")
    }
    let time = EventLoop.now - start
    let count = signals().count - before
    #expect(count >= 20)
    #expect(Double(count - 1) <= time / .milliseconds(50), "\(count) signals in \(time)")
    let values = scene.client.announced("radio", "IsOn")
    #expect(values.count == count)
    #expect(zip(values, values.dropFirst()).allSatisfy { $0 != $1 })
    #expect(try scene.client.get("radio", "State") == #""off""#)
  }

  @Test("what follows a flood of changes is the last of them")
  func flappingEnds() throws {
    let scene = try BackendScene(["radio": row()])
    let service = try scene.service(Self.service)
    try scene.client.await("radio", "off")
    for on in [true, false, true] {
      try service.tell("flap \(Self.radio) 200 \(!on) \(on)")
      try scene.client.await("radio", on ? "on" : "off")
      #expect(try scene.client.get("radio", "IsOn") == "\(on)")
    }
  }

  @Test("signals of another sender are not believed")
  func forged() throws {
    let scene = try BackendScene(["radio": row()])
    let service = try scene.service(Self.service)
    try scene.client.await("radio", "off")
    let other = try scene.service([
      "property \(Self.radio) b true", "property /other org.example.Radio1 Powered b true",
    ])
    try other.tell("change \(Self.radio) true")
    try service.tell("change /radio org.example.Radio1 Mode '\"wild\"'")
    #expect(try scene.client.call("radio", "Refresh") == "ok []")
    #expect(scene.client.announced("radio", "IsOn") == [])
    #expect(try scene.client.get("radio", "State") == #""off""#)
  }

  @Test("a PropertiesChanged of another shape is passed over")
  func malformed() throws {
    let scene = try BackendScene(["radio": row(), "lamp": "[Backend]\nType=stored"])
    let service = try scene.service(Self.service)
    try scene.client.await("radio", "off")
    try service.tell(
      "emit /radio s '[\"org.example.Radio1\"]'", "emit /radio '' '[]'",
      "emit /radio sa{ss}as '[\"org.example.Radio1\",{\"Powered\":\"true\"},[]]'",
      "emit /radio sa{sv}as '[\"org.example.Radio1\",{\"no name\":[\"b\",true]},[\"no name\"]]'",
      "emit /radio sa{sv}as '[\"\",{\"Powered\":[\"b\",true]},[]]'")
    #expect(try scene.client.call("radio", "Refresh") == "ok []")
    try scene.requireAlive(["radio": "off", "lamp": "off"])
    try service.tell("change \(Self.radio) true")
    try scene.client.await("radio", "on")
  }
}
