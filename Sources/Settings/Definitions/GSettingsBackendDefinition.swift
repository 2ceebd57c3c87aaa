// SPDX-License-Identifier: MIT

package import DBusTypes

/// A key of GSettings, as `Type=gsettings` describes it.
package struct GSettingsBackendDefinition: Hashable, Sendable {
  /// The schema's id.
  package var schema: String
  /// The key's name.
  package var key: String
  /// The path of a schema that has none of its own; begins and ends with `/`.
  package var path: String?
  /// The values that mean on: the first is what is written. Never empty.
  package var on: [VariantText]
  /// The values that mean off: the first is what is written. Empty where the file has no Off and
  /// none follows from On: then every value that is not on is off, and off can't be written.
  package var off: [VariantText]

  /// A key, complete.
  package init(
    schema: String, key: String, path: String? = nil, on: [VariantText], off: [VariantText]
  ) {
    self.schema = schema
    self.key = key
    self.path = path
    self.on = on
    self.off = off
  }
}

extension GSettingsBackendDefinition {
  static func read(_ reader: inout GroupReader, scope: Scope) -> GSettingsBackendDefinition? {
    if scope == .system {
      reader.fail(
        "Type", "Type=gsettings stands in a row of the system bus; expected Bus=session")
    }
    let schema = reader.value(
      "Schema", expected: "a schema's id such as org.gnome.desktop.interface"
    ) { isWord($0, besides: ".-_") ? $0 : nil }
    let key = reader.value("Key", expected: "a key's name such as color-scheme") {
      isWord($0, besides: "-_") ? $0 : nil
    }
    let path = reader.value("Path", expected: "the schema's path such as /org/example/profile/") {
      isAbsolutePath($0) && $0.hasSuffix("/") && !$0.contains("//") ? $0 : nil
    }
    let values = OnOff.read(&reader)
    if !reader.has("Schema") { reader.missing("Schema", expected: "a schema's id") }
    if !reader.has("Key") { reader.missing("Key", expected: "a key's name") }
    guard let schema, let key, let values else { return nil }
    return GSettingsBackendDefinition(
      schema: schema, key: key, path: path, on: values.on, off: values.off)
  }
}
