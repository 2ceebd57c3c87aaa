// SPDX-License-Identifier: MIT

import RowFiles
import Settings
import Testing

@testable import Client

@Suite("JSON of rows")
struct RowJSONTests {
  @Test("a row has every member, in the order that programs know")
  func row() {
    #expect(
      JSON.object(Sample.night.json(Locale("es"))).text == """
        {"id":"night","bus":"session","path":"/org/toggled/rows/night","section":"appearance",\
        "title":"Modo nocturno","subtitle":"Colores oscuros","keywords":["dark","oscuro"],\
        "order":1,"symbol":"weather-clear-night-symbolic","on_symbol":"object-select-symbolic",\
        "off_symbol":"window-close-symbolic","icon_color":"#5856d6",\
        "icon_foreground":"#ffffff","switch_color":"#34c759","style":"automatic",\
        "backend":"stored","is_on":true,"state":"on","target":"","available":true,\
        "locked":false,"reason":null,"reason_text":"","assumed":false,\
        "schedule":"sunset-sunrise","automatic":true,"next_change":"2026-11-30T18:02:00Z",\
        "holds":[]}
        """)
  }

  @Test("reasons and holds are shown as they are, and no change is null")
  func details() {
    let wifi = JSON.object(Sample.wifi.json(.untranslated)).text
    #expect(wifi.contains(#""bus":"system""#))
    #expect(wifi.contains(#""is_on":true,"state":"unknown""#))
    #expect(
      wifi.contains(#""reason":"no-service","reason_text":"net.example is not running""#))
    #expect(wifi.contains(#""next_change":null"#))
    #expect(
      JSON.object(Sample.privacy.json(.untranslated)).text.hasSuffix(
        #""holds":[{"cookie":7,"on":true,"reason":"a \"call\"","#
          + #""application_id":"org.example.App"}]}"#))
  }

  @Test("the keys are the page's, in its order")
  func keys() {
    let page = """
      id bus path section title subtitle keywords order symbol on_symbol off_symbol icon_color \
      icon_foreground switch_color style backend is_on state target available locked reason \
      reason_text assumed schedule automatic next_change holds
      """
    #expect(Sample.night.json(.untranslated).map(\.key).joined(separator: " ") == page)
  }

  @Test("get answers with the state alone")
  func state() {
    #expect(
      JSON.object(Sample.wifi.stateJSON).text
        == #"{"id":"wifi","bus":"system","is_on":true,"state":"unknown"}"#)
    let codes = [SwitchState.on, .off, .mixed, .unknown].map { ExitCode($0).rawValue }
    #expect(codes == [0, 10, 11, 11])
  }

  @Test("a flip answers with the row as it is then, and the error as it came")
  func flips() {
    var result = FlipResult(typed: "night")
    result.row = Sample.night
    result.changed = true
    #expect(
      result.json.text
        == #"{"id":"night","bus":"session","is_on":true,"state":"on","changed":true,"error":null}"#)
    #expect(result.text == "night on\n")

    result.changed = false
    #expect(result.text == "night on (unchanged)\n")
    result.failure = .answered(
      row: "night", RemoteError(name: "org.toggled.Error.Locked", message: "no\u{1b}"))
    #expect(
      result.json.text.hasSuffix(
        #""changed":false,"error":{"name":"org.toggled.Error.Locked","message":"no\u001b"}}"#))
  }

  @Test("a row that is nowhere has no bus, and the nearest error name")
  func nowhere() {
    var result = FlipResult(typed: "wi-fi")
    result.failure = .noSuchRow(id: "wi-fi", nearest: ["wifi"])
    #expect(
      result.json.text == """
        {"id":"wi_fi","bus":null,"is_on":false,"state":"unknown","changed":false,"error":\
        {"name":"org.freedesktop.DBus.Error.UnknownObject",\
        "message":"no row 'wi-fi', did you mean 'wifi'?"}}
        """)
  }

  @Test("a finding of check is a line, or an object")
  func findings() {
    let error = Finding(ConfigError(file: "a.row", line: 3, message: "bad \"x\""), .error)
    #expect(error.text == "a.row:3: bad \"x\"\n")
    #expect(
      error.json.text
        == #"{"file":"a.row","line":3,"message":"bad \"x\"","severity":"error"}"#)
    let warning = Finding(ConfigError(file: "b\u{1b}.row", line: 0, message: "odd"), .warning)
    #expect(warning.text == "b.row: warning: odd\n")
    #expect(
      warning.json.text
        == #"{"file":"b\u001b.row","line":0,"message":"odd","severity":"warning"}"#)
  }
}
