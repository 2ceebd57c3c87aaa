// SPDX-License-Identifier: MIT

import DBusTypes

/// Reads the keys of one group into typed values.
///
/// Which keys a group has is said once, by asking for them: what nobody asked for is unknown, and
/// `finish()` says so. An error yields nil and is noted, so that a reader goes on to the next key.
struct GroupReader {
  private let group: RowFile.Group
  /// The groups that belong to this one, each read by `read`.
  let subgroups: [RowFile.Group]
  /// A drop-in by itself: what it does not say may stand in the row.
  let isFragment: Bool
  private var known: [String] = []
  private(set) var findings: Findings

  init(
    _ group: RowFile.Group, subgroups: [RowFile.Group] = [], isFragment: Bool, findings: Findings
  ) {
    self.group = group
    self.subgroups = subgroups
    self.isFragment = isFragment
    self.findings = findings
  }

  /// Where the group begins.
  var place: Place { group.place }

  /// Where `key` stands, or the group where it is not there.
  func place(of key: String) -> Place {
    group.entries.first { $0.key == key }?.place ?? group.place
  }

  /// Whether `key` is there, without a locale.
  func has(_ key: String) -> Bool {
    group.entries.contains { $0.key == key && $0.locale.isEmpty }
  }

  /// Notes what is wrong with `key`, on its line, or on the group's where it is not there.
  mutating func fail(_ key: String, _ message: @autoclosure () -> String) {
    findings.add(place(of: key), message())
  }

  /// Notes what is wrong with another group as a whole.
  mutating func fail(_ group: RowFile.Group, _ message: @autoclosure () -> String) {
    findings.add(group.place, message())
  }

  /// Reads another group, with the findings of both in one.
  mutating func read<Result>(
    _ group: RowFile.Group, _ body: (inout GroupReader) -> Result
  ) -> Result {
    var reader = GroupReader(group, isFragment: isFragment, findings: findings)
    defer { findings = reader.findings }
    return body(&reader)
  }

  /// Notes that `key` is missing, which `expected` would be.
  mutating func missing(_ key: String, expected: @autoclosure () -> String) {
    if isFragment { return }
    findings.add(group.place, "\(key) is missing in [\(group.name)]; expected \(expected())")
  }

  // MARK: Entries

  /// The entry of a key that has no translations.
  private mutating func entry(_ key: String) -> RowFile.Entry? {
    known.append(key)
    var result: RowFile.Entry?
    for entry in group.entries where entry.key == key {
      if entry.locale.isEmpty {
        result = entry
      } else {
        findings.add(
          entry.place, "\(key)[\(entry.locale)]: \(key) can't be translated; expected \(key)=")
      }
    }
    return result
  }

  private mutating func text(of entry: RowFile.Entry) -> String? {
    do {
      return try RowFile.text(entry.value)
    } catch {
      addEscape(error, entry)
      return nil
    }
  }

  private mutating func list(of entry: RowFile.Entry) -> [String]? {
    do {
      return try RowFile.list(entry.value)
    } catch {
      addEscape(error, entry)
      return nil
    }
  }

  private mutating func addEscape(_ error: EscapeError, _ entry: RowFile.Entry) {
    let shown = shortened(error.escape)
    findings.add(
      entry.place,
      "\(entry.key) holds the escape \(shown); expected \\s, \\n, \\t, \\r, \\\\ or \\;")
  }

  // MARK: Values

  /// The value of `key` as `parse` reads it; `expected` completes "expected …".
  mutating func value<Result>(
    _ key: String, expected: @autoclosure () -> String, _ parse: (String) -> Result?
  ) -> Result? {
    value(key, complaint: "; expected \(expected())", parse)
  }

  /// The value of `key` as `parse` reads it; `complaint` goes on from "key is 'value'".
  mutating func value<Result>(
    _ key: String, complaint: @autoclosure () -> String, _ parse: (String) -> Result?
  ) -> Result? {
    guard let entry = entry(key), let text = text(of: entry) else { return nil }
    if let result = parse(text) { return result }
    let what = text.isEmpty ? "\(key) is empty" : "\(key) is \(quoted(text))"
    findings.add(entry.place, what + complaint())
    return nil
  }

  /// The list of `key`, each item as `parse` reads it; nil where the key is absent or wrong.
  /// `complaint` goes on from "key lists 'item'" or "key is empty".
  mutating func values<Result>(
    _ key: String, complaint: @autoclosure () -> String, _ parse: (String) -> Result?
  ) -> [Result]? {
    guard let entry = entry(key), let items = list(of: entry) else { return nil }
    if items.isEmpty {
      findings.add(entry.place, "\(key) is empty" + complaint())
      return nil
    }
    var results: [Result] = []
    for item in items {
      if let result = parse(item) {
        results.append(result)
      } else {
        findings.add(entry.place, "\(key) lists \(quoted(item))" + complaint())
      }
    }
    return results.count == items.count ? results : nil
  }

  /// The word of `key`, one of the cases of `type`.
  mutating func word<Word: RawRepresentable<String> & CaseIterable>(
    _ key: String, of type: Word.Type
  ) -> Word? {
    value(key, expected: listed(Word.allCases.map(\.rawValue))) { Word(rawValue: $0) }
  }

  /// The truth of `key`, `true` or `false`.
  mutating func flag(_ key: String) -> Bool? {
    value(key, expected: "true or false") { $0 == "true" ? true : $0 == "false" ? false : nil }
  }

  /// The bus that `Bus` names, else the row's own. A system row can't use a user's.
  mutating func bus(ofRowOn scope: Scope) -> Scope {
    let bus = word("Bus", of: Scope.self) ?? scope
    if scope == .system, bus == .session {
      fail("Bus", "Bus is 'session'; expected system, the bus of the row itself")
    }
    return bus
  }

  /// A time in seconds, from a tenth of a second to `most`, in steps of a millisecond.
  mutating func seconds(_ key: String, most: Int) -> Duration? {
    value(key, expected: "seconds from 0.1 to \(most)") { text in
      guard let milliseconds = milliseconds(text), milliseconds >= 100,
        milliseconds <= most * 1000
      else { return nil }
      return .milliseconds(milliseconds)
    }
  }

  /// The text of `key` and its translations; nil where the key is absent or wrong.
  mutating func localisedText(_ key: String) -> LocalisedText? {
    var plain: String?
    var translations: [String: String] = [:]
    for entry in translatable(key) {
      guard let text = text(of: entry) else { continue }
      if entry.locale.isEmpty { plain = text } else { translations[entry.locale] = text }
    }
    return plain.map { LocalisedText($0, translations: translations) }
  }

  /// The list of `key` and its translations; nil where the key is absent or wrong.
  mutating func localisedList(_ key: String) -> LocalisedList? {
    var plain: [String]?
    var translations: [String: [String]] = [:]
    for entry in translatable(key) {
      guard let items = list(of: entry)?.filter({ !$0.isEmpty }) else { continue }
      if entry.locale.isEmpty { plain = items } else { translations[entry.locale] = items }
    }
    return plain.map { LocalisedList($0, translations: translations) }
  }

  /// The entries of a key that may have translations; they need a text that they translate.
  private mutating func translatable(_ key: String) -> [RowFile.Entry] {
    known.append(key)
    let entries = group.entries.filter { $0.key == key }
    if let first = entries.first, !isFragment, !entries.contains(where: \.locale.isEmpty) {
      findings.add(
        first.place, "\(key)[\(first.locale)] translates no \(key); expected \(key)= as well")
    }
    return entries
  }

  // MARK: The end

  /// How many keys nobody asked for.
  var unknownKeys: Int {
    group.entries.count { !known.contains($0.key) }
  }

  /// Notes the keys that nobody asked for; `what` names the thing that does not have them.
  mutating func finish(_ what: String? = nil) {
    noteUnknown(what) { _ in true }
  }

  /// Notes the keys that are misspellings of those asked for, where it can't be told what others
  /// there should be.
  mutating func finishEarly() {
    let known = known
    noteUnknown(nil) { suggestion(for: $0, among: known) != nil }
  }

  private mutating func noteUnknown(_ what: String?, where matches: (String) -> Bool) {
    for entry in group.entries where !known.contains(entry.key) && matches(entry.key) {
      let nearest = suggestion(for: entry.key, among: known)
      let expected = nearest.map { "did you mean \($0)?" } ?? "expected \(listed(known.sorted()))"
      let owner = what ?? "[\(group.name)]"
      findings.add(entry.place, "\(owner) has no key \(quoted(entry.key)); \(expected)")
    }
  }
}

/// The thousandths in `text`, a number without sign or exponent with at most three decimals.
private func milliseconds(_ text: String) -> Int? {
  let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
  let fraction = parts.count == 2 ? parts[1] : "0"
  let isNumber = (parts + [fraction]).allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isDigit) }
  guard isNumber, fraction.utf8.count <= 3, let whole = Int(parts[0]), whole <= 1_000_000,
    let part = Int(fraction + String(repeating: "0", count: 3 - fraction.utf8.count))
  else { return nil }
  return whole * 1000 + part
}
