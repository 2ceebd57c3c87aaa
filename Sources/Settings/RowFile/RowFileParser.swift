// SPDX-License-Identifier: MIT

/// Reads the bytes of a row file, line by line, and goes on after an error so that all are found.
///
/// The syntax is that of desktop entry files, stricter: duplicates are errors, and so are control
/// bytes. White space at both ends of a line, a key or a value does not count.
struct RowFileParser {
  private enum State {
    case beforeGroups
    /// In the last group of the result.
    case inGroup
    /// Below a header that was an error, or in an `X-` group: nothing there is kept.
    case skipping
  }

  private var result: RowFile
  private var findings = Findings()
  private var state = State.beforeGroups
  /// The keys of the present group, as written, and the line of each.
  private var seen: [String: Int] = [:]
  private var line = 0

  private init(file: String) {
    result = RowFile(file: file)
  }

  /// Reads `bytes` of `file`: what could be read, and all that was wrong.
  static func parse(_ bytes: [UInt8], file: String) -> (RowFile, Findings) {
    var parser = RowFileParser(file: file)
    if bytes.count > RowFile.sizeLimit {
      parser.findings.add(Place(file: file, line: 0), tooLarge)
    } else {
      parser.parseLines(bytes)
    }
    return (parser.result, parser.findings)
  }

  /// What is said of a file that is too large.
  static let tooLarge =
    "the file is larger than \(RowFile.sizeLimit / 1024) KiB; expected a row file"

  private mutating func parseLines(_ bytes: [UInt8]) {
    let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]
    var start = bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      line += 1
      var content = bytes[start..<end]
      if content.last == UInt8(ascii: "\r") { content.removeLast() }
      if isText(content) { parseLine(trimmed(content)) }
      start = end + 1
    }
  }

  private func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  private func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let first = bytes.firstIndex(where: { !isBlank($0) }),
      let last = bytes.lastIndex(where: { !isBlank($0) })
    else { return [] }
    return bytes[first...last]
  }

  /// Whether `bytes` are UTF-8 without control bytes; notes it where they are not.
  private mutating func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
    var isASCII = true
    for byte in bytes {
      if byte >= 0x80 {
        isASCII = false
      } else if (byte < 0x20 && byte != UInt8(ascii: "\t")) || byte == 0x7f {
        let shown = (byte < 0x10 ? "0x0" : "0x") + String(byte, radix: 16)
        add("the line holds the control byte \(shown); expected text")
        return false
      }
    }
    if isASCII || String(validating: bytes, as: UTF8.self) != nil { return true }
    add("the line is not valid UTF-8; expected text in UTF-8")
    return false
  }

  private mutating func parseLine(_ bytes: ArraySlice<UInt8>) {
    switch bytes.first {
    case nil, UInt8(ascii: "#"): return
    case UInt8(ascii: "["): parseHeader(bytes)
    default: parseEntry(bytes)
    }
  }

  private mutating func parseHeader(_ bytes: ArraySlice<UInt8>) {
    state = .skipping
    let name = String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
    let isName = !name.isEmpty && !name.utf8.contains { $0 == 0x5b || $0 == 0x5d }
    guard bytes.last == UInt8(ascii: "]"), isName else {
      add("\(quoted(String(decoding: bytes, as: UTF8.self))) is no group; expected [Name]")
      return
    }
    if name.hasPrefix("X-") { return }
    if let first = result.group(name) {
      add("the group [\(shortened(name))] is given twice; it begins on line \(first.place.line)")
      return
    }
    result.groups.append(RowFile.Group(name: name, place: place))
    seen.removeAll(keepingCapacity: true)
    state = .inGroup
  }

  private mutating func parseEntry(_ bytes: ArraySlice<UInt8>) {
    guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")), equals > bytes.startIndex else {
      let text = String(decoding: bytes, as: UTF8.self)
      add("\(quoted(text)) is no setting; expected Key=value, [Group] or # comment")
      return
    }
    let name = String(decoding: trimmed(bytes[..<equals]), as: UTF8.self)
    guard let (key, locale) = split(name) else {
      add("\(quoted(name)) is no key; expected letters, digits and -, such as Title or Title[es]")
      return
    }
    switch state {
    case .skipping: return
    case .beforeGroups:
      add("\(shortened(name)) stands before the first group; expected [Row] first")
    case .inGroup:
      if key.hasPrefix("X-") { return }
      let unique = locale.isEmpty ? key : "\(key)[\(locale)]"
      if let first = seen.updateValue(line, forKey: unique) {
        seen[unique] = first
        add("\(unique) is given twice; the first is on line \(first)")
        return
      }
      let value = String(decoding: trimmed(bytes[(equals + 1)...]), as: UTF8.self)
      let entry = RowFile.Entry(key: key, locale: locale, value: value, place: place)
      result.groups[result.groups.count - 1].entries.append(entry)
    }
  }

  /// Takes `Key` or `Key[locale]` apart; nil where it is neither.
  private func split(_ name: String) -> (key: String, locale: String)? {
    var key = name[...]
    var locale = ""
    if name.utf8.last == UInt8(ascii: "]") {
      guard let bracket = name.utf8.firstIndex(of: UInt8(ascii: "[")) else { return nil }
      let text = name[name.utf8.index(after: bracket)...].dropLast()
      guard let parts = LocaleName(String(text)) else { return nil }
      locale = parts.key
      key = name[..<bracket]
    }
    let isKey = key.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
    return isKey && !key.isEmpty ? (String(key), locale) : nil
  }

  private var place: Place { Place(file: result.file, line: line) }

  private mutating func add(_ message: @autoclosure () -> String) {
    findings.add(place, message())
  }
}
