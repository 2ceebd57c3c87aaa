// SPDX-License-Identifier: MIT

/// A moment as text, from microseconds since 1970 on CLOCK_REALTIME.
nonisolated enum Timestamp {
  /// RFC 3339 in UTC, such as `2026-11-30T17:42:00Z`; a fraction only where there is one. Nil past
  /// the year 9999, which RFC 3339 can't write.
  static func rfc3339(microseconds: UInt64) -> String? {
    let (seconds, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    let (days, time) = seconds.quotientAndRemainder(dividingBy: 86_400)
    guard let date = date(daysSince1970: days) else { return nil }
    var text = "\(padded(date.year, 4))-\(padded(date.month))-\(padded(date.day))T"
    text += "\(padded(time / 3600)):\(padded(time / 60 % 60)):\(padded(time % 60))"
    if fraction > 0 { text += ".\(padded(fraction, 6))" }
    return text + "Z"
  }

  /// Walks the years, then the months: a schedule's next change is only some decades from 1970.
  private static func date(
    daysSince1970 days: UInt64
  ) -> (year: UInt64, month: UInt64, day: UInt64)? {
    var left = days
    var year: UInt64 = 1970
    while left >= (isLeap(year) ? 366 : 365) {
      left -= isLeap(year) ? 366 : 365
      year += 1
      if year > 9999 { return nil }
    }
    let lengths: [UInt64] = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    var month = 0
    while left >= lengths[month] {
      left -= lengths[month]
      month += 1
    }
    return (year, UInt64(month) + 1, left + 1)
  }

  private static func isLeap(_ year: UInt64) -> Bool {
    year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
  }

  private static func padded(_ number: UInt64, _ width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
