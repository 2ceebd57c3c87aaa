// SPDX-License-Identifier: MIT

/// When a row turns on and off by itself: the [Schedule] group of its file.
package struct ScheduleDefinition: Hashable, Sendable {
  /// A moment that comes once a day.
  package enum Rule: Hashable, Sendable {
    /// A time of day in the local time zone: minutes since midnight, 0 to 1439.
    case time(minutes: Int)
    /// Sunrise, and minutes after it; before it where negative.
    case sunrise(offset: Int)
    /// Sunset, and minutes after it; before it where negative.
    case sunset(offset: Int)
  }

  /// Where the sun is looked at from.
  package enum Location: Hashable, Sendable {
    /// Degrees: north and east are positive.
    case coordinates(latitude: Double, longitude: Double)
    /// Where GeoClue says.
    case geoclue
  }

  /// When the row turns on.
  package var on: Rule
  /// When it turns off.
  package var off: Rule
  /// Where the sun is looked at from; nil where no rule needs it.
  package var location: Location?

  /// A schedule; `location` is needed where a rule follows the sun.
  package init(on: Rule, off: Rule, location: Location? = nil) {
    self.on = on
    self.off = off
    self.location = location
  }

  /// The rule as Row1's Schedule shows it, such as `sunset-sunrise`.
  package var text: String { "\(on.text)-\(off.text)" }
}

extension ScheduleDefinition.Rule {
  /// The furthest that a rule may be from sunrise or sunset, in minutes.
  private static let mostOffset = 12 * 60

  /// The rule as a row file spells it.
  package var text: String {
    switch self {
    case .time(let minutes): "\(twoDigits(minutes / 60)):\(twoDigits(minutes % 60))"
    case .sunrise(let offset): "sunrise" + signed(offset)
    case .sunset(let offset): "sunset" + signed(offset)
    }
  }

  /// The rule that `text` spells: `HH:MM`, or `sunrise` or `sunset` with `+` or `-` minutes.
  init?(_ text: String) {
    if text.hasPrefix("sunrise"), let offset = Self.offset(text.dropFirst("sunrise".count)) {
      self = .sunrise(offset: offset)
    } else if text.hasPrefix("sunset"), let offset = Self.offset(text.dropFirst("sunset".count)) {
      self = .sunset(offset: offset)
    } else if let minutes = Self.timeOfDay(text) {
      self = .time(minutes: minutes)
    } else {
      return nil
    }
  }

  private static func timeOfDay(_ text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy(isDigit) }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
    else { return nil }
    return hour * 60 + minute
  }

  private static func offset(_ text: Substring) -> Int? {
    guard let sign = text.utf8.first else { return 0 }
    let digits = text.dropFirst()
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), digits.utf8.allSatisfy(isDigit),
      let minutes = Int(digits), minutes <= mostOffset
    else { return nil }
    return sign == UInt8(ascii: "-") ? -minutes : minutes
  }
}

private func twoDigits(_ number: Int) -> String {
  number < 10 ? "0\(number)" : String(number)
}

private func signed(_ offset: Int) -> String {
  offset == 0 ? "" : offset > 0 ? "+\(offset)" : String(offset)
}
