// SPDX-License-Identifier: MIT

/// The syntax of one row, section or drop-in file: groups of keys, each with its line.
///
/// Nothing is said here about which groups and keys there are or what their values mean; that is
/// `RowDefinition`'s and `SectionDefinition`'s. Values are kept as they stand in the file, because
/// whether `\;` is an escape to undo or a `;` that does not separate depends on the key.
struct RowFile: Sendable {
  /// The most bytes a file may have.
  static let sizeLimit = 64 * 1024

  /// `Key=value` or `Key[locale]=value`.
  struct Entry: Sendable {
    var key: String
    /// The locale without its encoding; "" for the plain key.
    var locale: String
    /// The value with its escapes, the white space around it cut off.
    var value: String
    var place: Place
  }

  /// `[Name]` and the keys below it.
  struct Group: Sendable {
    var name: String
    var place: Place
    var entries: [Entry] = []
  }

  /// The path, for messages.
  var file: String
  /// The groups in the order of the file; none has the name of another.
  var groups: [Group] = []

  /// The group called `name`.
  func group(_ name: String) -> Group? {
    groups.first { $0.name == name }
  }

  /// This file with the keys of `dropIn` added or put in place of the same ones; a translation
  /// is a key of its own.
  func amended(by dropIn: RowFile) -> RowFile {
    var result = self
    for group in dropIn.groups {
      guard let index = result.groups.firstIndex(where: { $0.name == group.name }) else {
        result.groups.append(group)
        continue
      }
      for entry in group.entries { result.groups[index].put(entry) }
    }
    return result
  }
}

extension RowFile.Group {
  fileprivate mutating func put(_ entry: RowFile.Entry) {
    let same = entries.firstIndex { $0.key == entry.key && $0.locale == entry.locale }
    if let same {
      entries[same] = entry
    } else {
      entries.append(entry)
    }
  }
}
