// SPDX-License-Identifier: MIT

import DBusTypes

/// The On and Off of a group whose values are GVariant text.
struct OnOff {
  var on: [VariantText]
  /// Empty where there is no Off and none follows from On.
  var off: [VariantText]

  /// Reads On and Off, `true` and `false` where both are absent; nil where they are wrong.
  static func read(_ reader: inout GroupReader) -> OnOff? {
    let on = reader.variants("On")
    let off = reader.variants("Off")
    switch (reader.has("On"), reader.has("Off")) {
    case (false, false):
      return standard
    case (false, true):
      reader.missing("On", expected: "the values that mean on, as Off is there")
      return nil
    case (true, false):
      guard let on else { return nil }
      return OnOff(on: on, off: opposite(of: on))
    case (true, true):
      guard let on, let off else { return nil }
      if let both = on.first(where: off.contains) {
        reader.fail("Off", "Off lists \(quoted(both.source)), as On does; expected other values")
        return nil
      }
      return OnOff(on: on, off: off)
    }
  }

  private static var standard: OnOff? {
    guard let on = try? VariantText.parse("true"), let off = try? VariantText.parse("false") else {
      return nil
    }
    return OnOff(on: [on], off: [off])
  }

  /// A truth has one opposite; of other values nothing is known.
  private static func opposite(of on: [VariantText]) -> [VariantText] {
    guard on.count == 1, let standard else { return [] }
    if on == standard.on { return standard.off }
    return on == standard.off ? standard.on : []
  }
}

extension GroupReader {
  /// The GVariant text of `key`.
  mutating func variant(_ key: String, options: VariantText.Options = []) -> VariantText? {
    var reason = ""
    return value(key, complaint: complaint(reason)) { text in
      parse(text, options: options, reason: &reason)
    }
  }

  /// The `;` list of GVariant texts of `key`.
  mutating func variants(_ key: String) -> [VariantText]? {
    var reason = "expected a value"
    return values(key, complaint: complaint(reason)) { item in
      parse(item, options: [], reason: &reason)
    }
  }
}

private func complaint(_ reason: String) -> String {
  ", which is no GVariant text: \(reason)"
}

private func parse(
  _ text: String, options: VariantText.Options, reason: inout String
) -> VariantText? {
  do throws(VariantTextError) {
    return try VariantText.parse(text, options: options)
  } catch {
    reason = error.description
    // The list was cut before the texts were read, at every `;`.
    if isQuote(text.utf8.first) != isQuote(text.utf8.last) {
      reason += "; a ; within a text is written \\;"
    }
    return nil
  }
}

private func isQuote(_ byte: UInt8?) -> Bool {
  byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"")
}
