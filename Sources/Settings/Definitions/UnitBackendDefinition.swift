// SPDX-License-Identifier: MIT

/// A systemd unit, as `Type=unit` describes it.
package struct UnitBackendDefinition: Hashable, Sendable {
  /// The manager: the system's, or that of the user whose session bus it is.
  package var bus: Scope
  /// The unit's name with its suffix, perhaps an instance of a template.
  package var unit: String
  /// Whether a flip also enables and disables the unit, and on is running and enabled.
  package var enables: Bool

  /// A unit; the defaults are those of row files.
  package init(bus: Scope, unit: String, enables: Bool = false) {
    self.bus = bus
    self.unit = unit
    self.enables = enables
  }
}

extension UnitBackendDefinition {
  static func read(_ reader: inout GroupReader, scope: Scope) -> UnitBackendDefinition? {
    let bus = reader.bus(ofRowOn: scope)
    var complaint = "; expected the name of a unit such as cups.service"
    let unit = reader.value("Unit", complaint: complaint) { text -> String? in
      guard let name = UnitName(text) else { return nil }
      if name.stem.hasSuffix("@"), name.stem.count(where: { $0 == "@" }) == 1 {
        complaint =
          ", a template; expected one instance of it, such as \(name.stem)name.\(name.suffix)"
        return nil
      }
      return "\(name.stem).\(name.suffix)"
    }
    let enables = reader.flag("Enable") ?? false
    if !reader.has("Unit") { reader.missing("Unit", expected: "the name of a unit") }
    guard let unit else { return nil }
    return UnitBackendDefinition(bus: bus, unit: unit, enables: enables)
  }
}

/// The name of a unit; see systemd.unit(5).
private struct UnitName {
  let stem: Substring
  let suffix: Substring

  /// Nil where no unit can have this name. One without a unit's suffix is a service's, as
  /// systemctl(1) takes it.
  init?(_ text: String) {
    if let dot = text.lastIndex(of: "."), Self.suffixes.contains(text[dot...].dropFirst()) {
      (stem, suffix) = (text[..<dot], text[dot...].dropFirst())
    } else {
      (stem, suffix) = (text[...], "service")
    }
    guard !stem.isEmpty, !stem.hasPrefix("@"), stem.utf8.allSatisfy(Self.isAllowed),
      stem.utf8.count + suffix.utf8.count < 255
    else { return nil }
  }

  private static let suffixes: Set<Substring> = [
    "service", "socket", "device", "mount", "automount", "swap", "target", "path", "timer",
    "slice", "scope",
  ]

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: ":-_.\\@".utf8.contains(byte)
    }
  }
}
