// SPDX-License-Identifier: MIT

/// An entry of the journal with fields of its own, as its native protocol has it: one datagram to
/// systemd-journald.service(8).
nonisolated struct JournalEntry {
  /// A field: a name of capital letters and `_`, and its value.
  typealias Field = (name: String, value: String)

  /// What is sent.
  let bytes: [UInt8]

  init(_ level: Log.Level, _ message: String, _ fields: [Field]) {
    var bytes: [UInt8] = []
    let all: [Field] =
      [("PRIORITY", "\(level.rawValue)"), ("SYSLOG_IDENTIFIER", "toggled"), ("MESSAGE", message)]
      + fields
    for field in all {
      bytes += field.name.utf8
      let value = Array(field.value.utf8)
      if value.contains(UInt8(ascii: "\n")) {
        // A line break ends a value, unless its length is said before.
        bytes.append(UInt8(ascii: "\n"))
        withUnsafeBytes(of: UInt64(value.count).littleEndian) { bytes += $0 }
      } else {
        bytes.append(UInt8(ascii: "="))
      }
      bytes += value
      bytes.append(UInt8(ascii: "\n"))
    }
    self.bytes = bytes
  }
}
