// SPDX-License-Identifier: MIT

import Settings
import Testing

@testable import Client

@Suite("JSON of rows")
struct RowJSONTests {
  @Test("a row is as the page says")
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
}
