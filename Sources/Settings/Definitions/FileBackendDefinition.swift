// SPDX-License-Identifier: MIT

/// A small file, as `Type=file` describes it.
package struct FileBackendDefinition: Hashable, Sendable {
  /// The absolute path.
  package var path: String
  /// The texts that mean on: the first is what is written. Never empty.
  package var on: [String]
  /// The texts that mean off: the first is what is written. Empty where the file has On but no
  /// Off: then every text that is not on is off, and off can't be written.
  package var off: [String]
  /// How often to read again what does not tell of its changes; nil for never.
  package var interval: Duration?

  /// A file; the defaults are those of row files.
  package init(
    path: String, on: [String] = ["1"], off: [String] = ["0"], interval: Duration? = nil
  ) {
    self.path = path
    self.on = on
    self.off = off
    self.interval = interval
  }
}

extension FileBackendDefinition {
  static func read(_ reader: inout GroupReader) -> FileBackendDefinition? {
    let path = reader.value(
      "Path", expected: "an absolute path such as /proc/sys/net/ipv4/ip_forward"
    ) {
      isAbsolutePath($0) ? $0 : nil
    }
    // An item may be empty (`Off=;`): the text of an empty file.
    let on = reader.values("On", complaint: "; expected the texts that mean on") { $0 }
    let off = reader.values("Off", complaint: "; expected the texts that mean off") { $0 }
    let interval = reader.seconds("Interval", most: 86_400)
    if !reader.has("Path") { reader.missing("Path", expected: "an absolute path") }
    if !reader.has("On"), reader.has("Off") {
      reader.missing("On", expected: "the texts that mean on, as Off is there")
    }
    if let on, let off, let both = on.first(where: off.contains) {
      reader.fail("Off", "Off lists \(quoted(both)), as On does; expected other texts")
    }
    guard let path else { return nil }
    guard reader.has("On") || reader.has("Off") else {
      return FileBackendDefinition(path: path, on: ["1"], off: ["0"], interval: interval)
    }
    guard let on else { return nil }
    return FileBackendDefinition(path: path, on: on, off: off ?? [], interval: interval)
  }
}

/// Whether `path` begins at the root and can be handed to the system.
func isAbsolutePath(_ path: String) -> Bool {
  path.utf8.first == UInt8(ascii: "/") && path.utf8.count < 4096 && !path.utf8.contains(0)
}
