// SPDX-License-Identifier: MIT

package import DBusTypes

/// The setting that applications see through xdg-desktop-portal: the [Portal] group of a row.
package struct PortalDefinition: Hashable, Sendable {
  /// The namespace, such as `org.freedesktop.appearance`.
  package var namespace: String
  /// The key, such as `color-scheme`.
  package var key: String
  /// What applications read while the row is on.
  package var on: VariantText
  /// What they read while it is off.
  package var off: VariantText

  /// A setting.
  package init(namespace: String, key: String, on: VariantText, off: VariantText) {
    self.namespace = namespace
    self.key = key
    self.on = on
    self.off = off
  }
}

extension PortalDefinition {
  /// Reads the [Portal] group; nil where anything is wrong with it.
  static func read(_ reader: inout GroupReader) -> PortalDefinition? {
    let namespace = reader.value(
      "Namespace", expected: "a dotted name such as org.freedesktop.appearance"
    ) { isDottedName($0) ? $0 : nil }
    let key = reader.value("Key", expected: "a key such as color-scheme") {
      isWord($0, besides: "-_") ? $0 : nil
    }
    let on = reader.variant("On")
    let off = reader.variant("Off")
    if !reader.has("Namespace") { reader.missing("Namespace", expected: "a dotted name") }
    if !reader.has("Key") { reader.missing("Key", expected: "a key") }
    for value in ["On", "Off"] where !reader.has(value) {
      reader.missing(value, expected: "GVariant text such as uint32 1")
    }
    reader.finish()
    guard let namespace, let key, let on, let off else { return nil }
    if let onType = on.inferredType, let offType = off.inferredType, onType != offType {
      reader.fail(
        "Off", "Off is of type \(offType) and On of type \(onType); expected the same type")
    }
    return PortalDefinition(namespace: namespace, key: key, on: on, off: off)
  }
}

/// Whether `text` is one or more ASCII letters, digits and `others`.
func isWord(_ text: some StringProtocol, besides others: String) -> Bool {
  !text.isEmpty && text.utf8.allSatisfy { isAlphanumeric($0) || others.utf8.contains($0) }
}

/// Whether `text` is two or more words joined by dots.
func isDottedName(_ text: String) -> Bool {
  let parts = text.split(separator: ".", omittingEmptySubsequences: false)
  return parts.count > 1 && parts.allSatisfy { isWord($0, besides: "-_") }
}
