// SPDX-License-Identifier: MIT

import TestSupport
import Testing

/// How a flip reaches the service: the call, its arguments, its flags.
@Suite("a dbus row and how it writes")
struct BackendWriteTests {
  private static let service = BackendAnswerTests.service

  @Test("Properties.Set is called with the value as the property's own type")
  func propertySet() throws {
    let scene = try BackendScene(["radio": BackendAnswerTests.row("Level", "On=5;6", "Off=0")])
    let service = try scene.service(
      ["property /radio org.example.Radio1 Level y 6"] + Self.service)
    try scene.client.await("radio", "on")
    #expect(try scene.client.setOn("radio", false) == "ok [true]")
    let call = try service.waitForCall("Set")
    #expect(call == #"call Set /radio 0 ["org.example.Radio1", "Level", ["y", 0]]"#)
    #expect(try scene.client.setOn("radio", true) == "ok [true]")
    #expect(try service.waitForCall("Set").hasSuffix(#"["y", 5]]"#))
  }

  @Test("an enumeration is on, off or unrecognised by its value")
  func enumeration() throws {
    let scene = try BackendScene([
      "mode": BackendAnswerTests.row("Mode", "On='wild'", "Off='calm';'quiet'"),
      "anything": BackendAnswerTests.row("Mode", "On='wild'"),
    ])
    let service = try scene.service(Self.service)
    let change = "change /radio org.example.Radio1 Mode"
    try scene.client.await("mode", "off")
    try service.tell("\(change) '\"wild\"'")
    try scene.client.await("mode", "on")
    try scene.client.await("anything", "on")
    try service.tell("\(change) '\"odd\"'")
    try scene.client.await("mode", ["Reason": #""unrecognised""#, "State": #""unknown""#])
    #expect(try scene.client.get("mode", "Available") == "true")
    #expect(try scene.client.get("mode", "IsOn") == "true")
    try scene.client.await("anything", "off")
    #expect(try scene.client.setOn("mode", false) == "ok [true]")
    #expect(try service.waitForCall("Set").hasSuffix(#"["s", "calm"]]"#))
    let answer = try scene.client.setOn("anything", true)
    #expect(answer == "ok [true]")
    let refused = try scene.client.setOn("anything", false)
    #expect(refused.hasPrefix("error org.freedesktop.DBus.Error.NotSupported "), "\(refused)")
  }

  @Test("SetMethod is called with its arguments, the value among them as its own type")
  func setMethod() throws {
    let scene = try BackendScene([
      "radio": BackendAnswerTests.row(
        "Powered", "SetMethod=SetPower", "SetArguments=('radio', %v, uint16 7, [%v])"),
      "mode": BackendAnswerTests.row(
        "Mode", "On='wild'", "Off='calm'", "SetMethod=SetMode"),
    ])
    let service = try scene.service(
      Self.service + ["method SetPower Powered 1", "method SetMode Mode 0"])
    try scene.client.await("radio", "off")
    #expect(try scene.client.setOn("radio", true) == "ok [true]")
    #expect(
      try service.waitForCall("SetPower") == #"call SetPower /radio 0 ["radio", true, 7, [true]]"#)
    #expect(try scene.client.setOn("mode", true) == "ok [true]")
    #expect(try service.waitForCall("SetMode") == #"call SetMode /radio 0 ["wild"]"#)
    #expect(service.countCalls("Set") == 0)
  }

  @Test("a value that the property's type can't hold is the row's error, and nothing is sent")
  func impossibleValue() throws {
    let scene = try BackendScene(["level": BackendAnswerTests.row("Level", "On=300", "Off=0")])
    let service = try scene.service(
      ["property /radio org.example.Radio1 Level y 0"] + Self.service)
    try scene.client.await("level", "off")
    let answer = try scene.client.setOn("level", true)
    #expect(answer.hasPrefix("error org.toggled.Error.BackendFailed "), "\(answer)")
    #expect(answer.contains("On=300"), "\(answer)")
    #expect(service.countCalls("Set") == 0)
  }

  @Test("a property that can only be written is written with the type of the row file's text")
  func writeOnly() throws {
    let scene = try BackendScene(["radio": "[Row]\nTitle=R\nTimeout=1\n\(BackendAnswerTests.row())"]
    )
    let service = try scene.service(
      Self.service + [
        "answer GetAll body a{sv} '[{}]'",
        "answer Get error org.freedesktop.DBus.Error.AccessDenied 'write only'", "signals none",
      ])
    let answer = try scene.client.setOn("radio", true)
    // It was tried, and can't be confirmed.
    #expect(try service.waitForCall("Set").hasSuffix(#"["b", true]]"#))
    #expect(answer.hasPrefix("error org.toggled.Error.TimedOut "), "\(answer)")
  }

  @Test("the caller's interactive flag is passed on with the write, and never added")
  func interactive() throws {
    let scene = try BackendScene([
      "radio": BackendAnswerTests.row(),
      "all": "[Backend]\nType=group\nRows=radio;\n",
    ])
    let service = try scene.service(Self.service)
    try scene.client.await("radio", "off")
    #expect(try scene.client.setOn("radio", true, flags: 4) == "ok [true]")
    #expect(try service.waitForCall("Set").hasPrefix("call Set /radio 4 "))
    #expect(try scene.client.setOn("radio", false) == "ok [true]")
    #expect(try service.waitForCall("Set").hasPrefix("call Set /radio 0 "))
    #expect(try scene.client.call("radio", "Toggle", flags: 4) == "ok [true]")
    #expect(try service.waitForCall("Set").hasPrefix("call Set /radio 4 "))
    // A group's members are flipped without, and readings have none.
    #expect(try scene.client.setOn("all", false, flags: 4) == "ok [true]")
    #expect(try service.waitForCall("Set").hasPrefix("call Set /radio 0 "))
    #expect(try scene.client.call("radio", "Refresh", flags: 4) == "ok []")
    #expect(try service.waitForCall("Get").hasPrefix("call Get /radio 2 "))
  }

  @Test("Invert swaps what is read and what is written")
  func invert() throws {
    let scene = try BackendScene(["radio": BackendAnswerTests.row("Powered", "Invert=true")])
    let service = try scene.service(Self.service)
    try scene.client.await("radio", "on")
    #expect(try scene.client.setOn("radio", false) == "ok [true]")
    #expect(try service.waitForCall("Set").hasSuffix(#"["b", true]]"#))
    try scene.requireAlive(["radio": "off"])
  }

  @Test("a client that leaves in the middle of a flip takes nothing with it")
  func clientLeaves() throws {
    let scene = try BackendScene([
      "radio": BackendAnswerTests.row(), "lamp": "[Backend]\nType=stored",
    ])
    let service = try scene.service(Self.service + ["answer Set hold"])
    try scene.client.await("radio", "off")
    let leaver = try SceneClient(scene.bus.address)
    _ = try leaver.startSetOn("radio", true)
    try service.waitForCall("Set")
    _ = try leaver.wait(leaver.start("leave"))
    try leaver.program.waitForExit()
    try service.tell("answer Set normal", "free")
    try scene.client.await("radio", "on")
    try scene.requireAlive(["radio": "on", "lamp": "off"])
    #expect(try scene.client.setOn("radio", false) == "ok [true]")
  }
}
