// SPDX-License-Identifier: MIT

extension ScheduleDefinition {
  /// The one word that Location may be.
  private enum Source: String, CaseIterable {
    case geoclue
  }

  /// Reads the [Schedule] group; nil where anything is wrong with it.
  static func read(_ reader: inout GroupReader) -> ScheduleDefinition? {
    let rule = "HH:MM, sunset or sunrise, the last two with + or - up to 720 minutes"
    let on = reader.value("On", expected: rule) { Rule($0) }
    let off = reader.value("Off", expected: rule) { Rule($0) }
    let latitude = reader.value("Latitude", expected: "degrees from -90 to 90") {
      degrees($0, most: 90)
    }
    let longitude = reader.value("Longitude", expected: "degrees from -180 to 180") {
      degrees($0, most: 180)
    }
    let source = reader.word("Location", of: Source.self)
    if !reader.has("On") { reader.missing("On", expected: rule) }
    if !reader.has("Off") { reader.missing("Off", expected: rule) }
    checkLocation(&reader)
    reader.finish()
    guard let on, let off else { return nil }
    if on == off { reader.fail("Off", "Off is '\(off.text)', as On is; expected another time") }
    var location: Location?
    if let latitude, let longitude {
      location = .coordinates(latitude: latitude, longitude: longitude)
    } else if source == .geoclue {
      location = .geoclue
    }
    let hasPlace = reader.has("Latitude") || reader.has("Longitude") || reader.has("Location")
    if let solar = [("On", on), ("Off", off)].first(where: \.1.needsLocation), !hasPlace {
      reader.fail(
        solar.0,
        "\(solar.0)=\(solar.1.text) needs a place; expected Latitude and Longitude, "
          + "or Location=geoclue")
    }
    return ScheduleDefinition(on: on, off: off, location: location)
  }

  private static func checkLocation(_ reader: inout GroupReader) {
    let hasLatitude = reader.has("Latitude")
    let hasLongitude = reader.has("Longitude")
    if hasLatitude != hasLongitude {
      reader.missing(
        hasLatitude ? "Longitude" : "Latitude",
        expected: "both, as \(hasLatitude ? "Latitude" : "Longitude") is there")
    }
    if reader.has("Location"), hasLatitude || hasLongitude {
      reader.fail("Location", "Location stands beside coordinates; expected one of them")
    }
  }

  private static func degrees(_ text: String, most: Double) -> Double? {
    // Double's own parser also takes hexadecimal numbers, infinities and NaN.
    let isPlain = text.utf8.allSatisfy { isDigit($0) || "+-.".utf8.contains($0) }
    guard isPlain, let degrees = Double(text), abs(degrees) <= most else { return nil }
    return degrees
  }
}

extension ScheduleDefinition.Rule {
  fileprivate var needsLocation: Bool {
    if case .time = self { false } else { true }
  }
}
