// SPDX-License-Identifier: MIT

import DBusTypes
import Settings
import Testing

@Suite("The [Schedule] and [Portal] groups")
struct ScheduleAndPortalTests {
  private func text(_ keys: String) -> String {
    storedRow("A") + keys
  }

  @Test(
    "tell when a row turns on and off",
    arguments: [
      ("22:00", "06:30", "22:00-06:30"), ("00:00", "23:59", "00:00-23:59"),
      ("sunset", "sunrise", "sunset-sunrise"), ("sunset+30", "sunrise-15", "sunset+30-sunrise-15"),
      ("sunrise+0", "sunset-720", "sunrise-sunset-720"),
    ])
  func rules(_ on: String, _ off: String, _ shown: String) throws {
    let row = try row(text("[Schedule]\nOn=\(on)\nOff=\(off)\nLatitude=40.4\nLongitude=-3.7\n"))
    let schedule = try #require(row.schedule)
    #expect(schedule.text == shown)
    #expect(schedule.location == .coordinates(latitude: 40.4, longitude: -3.7))
  }

  @Test("keep rules as minutes")
  func minutes() throws {
    let schedule = try #require(
      try row(text("[Schedule]\nOn=22:05\nOff=sunrise-15\nLocation=geoclue\n")).schedule)
    #expect(
      schedule
        == ScheduleDefinition(
          on: .time(minutes: 22 * 60 + 5), off: .sunrise(offset: -15), location: .geoclue))
    let fixed = try #require(try row(text("[Schedule]\nOn=01:00\nOff=02:00\n")).schedule)
    #expect(fixed.location == nil)
  }

  @Test(
    "take no other rule",
    arguments: [
      "", "7:30", "24:00", "12:60", "12.30", "noon", "Sunset", "sunset+", "sunset+721", "sunset 5",
      "sunset+-5", "sunrise+5m", "12:3", "12:30:00", "+1:30", "sunset+99999999999999999999",
    ])
  func badRule(_ rule: String) {
    let what = rule.isEmpty ? "On is empty" : "On is '\(rule)'"
    #expect(
      errors(text("[Schedule]\nOn=\(rule)\nOff=01:00\n")) == [
        "x.row:6: \(what); expected HH:MM, sunset or sunrise, the last two with + or - up to 720 "
          + "minutes"
      ])
  }

  @Test(
    "are wrong where parts are missing or don't go together",
    arguments: [
      ("On=01:00\nOff=01:00", "x.row:7: Off is '01:00', as On is; expected another time"),
      (
        "On=sunset\nOff=01:00",
        "x.row:6: On=sunset needs a place; expected Latitude and Longitude, "
          + "or Location=geoclue"
      ),
      (
        "On=01:00\nOff=sunrise+5",
        "x.row:7: Off=sunrise+5 needs a place; expected Latitude and "
          + "Longitude, or Location=geoclue"
      ),
      (
        "On=sunset\nOff=01:00\nLatitude=1",
        "x.row:5: Longitude is missing in [Schedule]; expected "
          + "both, as Latitude is there"
      ),
      (
        "On=sunset\nOff=01:00\nLongitude=1",
        "x.row:5: Latitude is missing in [Schedule]; expected "
          + "both, as Longitude is there"
      ),
      (
        "On=sunset\nOff=01:00\nLatitude=1\nLongitude=1\nLocation=geoclue",
        "x.row:10: Location "
          + "stands beside coordinates; expected one of them"
      ),
      (
        "On=sunset\nOff=01:00\nLatitude=90.1\nLongitude=0",
        "x.row:8: Latitude is '90.1'; expected "
          + "degrees from -90 to 90"
      ),
      (
        "On=sunset\nOff=01:00\nLatitude=nan\nLongitude=0",
        "x.row:8: Latitude is 'nan'; expected "
          + "degrees from -90 to 90"
      ),
      (
        "On=sunset\nOff=01:00\nLatitude=0\nLongitude=0x10",
        "x.row:9: Longitude is '0x10'; expected "
          + "degrees from -180 to 180"
      ),
      ("On=sunset\nOff=01:00\nLocation=here", "x.row:8: Location is 'here'; expected geoclue"),
      (
        "On=02:00\nOff=01:00\nZone=UTC",
        "x.row:8: [Schedule] has no key 'Zone'; expected Latitude, "
          + "Location, Longitude, Off or On"
      ),
    ])
  func badSchedule(_ keys: String, _ expected: String) {
    #expect(errors(text("[Schedule]\n\(keys)\n")) == [expected])
  }

  @Test("tell applications a setting")
  func portal() throws {
    let row = try row(
      text(
        "[Portal]\nNamespace=org.freedesktop.appearance\nKey=color-scheme\nOn=uint32 1\n"
          + "Off=uint32 0\n"))
    #expect(
      row.portal
        == PortalDefinition(
          namespace: "org.freedesktop.appearance", key: "color-scheme",
          on: try VariantText.parse("uint32 1"), off: try VariantText.parse("uint32 0")))
  }

  @Test(
    "are wrong with a setting that is not one",
    arguments: [
      (
        "Namespace=appearance\nKey=k\nOn=1\nOff=0",
        "x.row:6: Namespace is 'appearance'; expected a "
          + "dotted name such as org.freedesktop.appearance"
      ),
      (
        "Namespace=a.b\nKey=\nOn=1\nOff=0",
        "x.row:7: Key is empty; expected a key such as "
          + "color-scheme"
      ),
      (
        "Namespace=a.b\nKey=k\nOn=1;2\nOff=0",
        "x.row:8: On is '1;2', which is no GVariant text: "
          + "expected the end of the text after the value, found ';' (at byte 2)"
      ),
      (
        "Namespace=a.b\nKey=k\nOn=1\nOff='0'",
        "x.row:9: Off is of type s and On of type i; expected "
          + "the same type"
      ),
      (
        "Namespace=a.b\nKey=k\nOn=1",
        "x.row:5: Off is missing in [Portal]; expected GVariant text "
          + "such as uint32 1"
      ),
      (
        "Namespace=a.b\nKey=k\nOn=1\nOff=0\nBus=x",
        "x.row:10: [Portal] has no key 'Bus'; expected "
          + "Key, Namespace, Off or On"
      ),
    ])
  func badPortal(_ keys: String, _ expected: String) {
    #expect(errors(text("[Portal]\n\(keys)\n")) == [expected])
  }

  @Test("have no portal on the system bus")
  func systemPortal() {
    let row = storedRow("A", "Bus=system") + "[Portal]\nNamespace=a.b\nKey=k\nOn=1\nOff=0\n"
    #expect(
      errors(row) == ["x.row:6: [Portal] stands in a row of the system bus; expected Bus=session"])
  }
}
