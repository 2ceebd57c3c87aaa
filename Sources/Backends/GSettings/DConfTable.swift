// SPDX-License-Identifier: MIT

/// The table of a dconf database: GVDB, the format of GLib's own tables on disk.
///
/// It is read as far as to find the bytes of a value, and no further: what they mean is for
/// GSettings to say, which knows the schema and the other databases of the profile. Whatever the
/// file holds, a part of it that points out of it or in a circle is a value that is not there.
nonisolated struct DConfTable {
  private let bytes: [UInt8]
  /// Where the first item is.
  private let start: Int
  private let count: Int

  private static let signature = Array("GVariant".utf8)
  private static let itemSize = 24
  /// A directory's own item has no other above it.
  private static let noParent = Int(UInt32.max)

  private struct Item {
    let parent: Int
    let name: ArraySlice<UInt8>
    let isValue: Bool
    let value: Range<Int>
  }

  /// Nil where these bytes are no such table, or one of a machine of the other byte order.
  init?(_ bytes: [UInt8]) {
    self.bytes = bytes
    guard bytes.starts(with: Self.signature),
      let root = Self.range(bytes, at: 16), root.count >= 8,
      let bloomWords = Self.number(bytes, at: root.lowerBound),
      let buckets = Self.number(bytes, at: root.lowerBound + 4)
    else { return nil }
    // Five bits of the filter's number are a shift. Neither it nor the buckets are used: a table
    // of dconf's is small, and is looked through once a change.
    start = root.lowerBound + 8 + 4 * (bloomWords & 0x7ff_ffff) + 4 * buckets
    guard start <= root.upperBound else { return nil }
    count = (root.upperBound - start) / Self.itemSize
  }

  /// The bytes of the value, with those of its type, of the key of this path; nil where there is
  /// none.
  func value(of path: String) -> [UInt8]? {
    let path = Array(path.utf8)
    for index in 0..<count {
      if let item = item(index), item.isValue, isNamed(item, path) {
        return Array(bytes[item.value])
      }
    }
    return nil
  }

  /// Whether the names of the item and of those above it are the path.
  private func isNamed(_ item: Item, _ path: [UInt8]) -> Bool {
    var (item, rest) = (item, path[...])
    while !item.name.isEmpty, rest.suffix(item.name.count) == item.name {
      rest = rest.dropLast(item.name.count)
      if item.parent == Self.noParent { return rest.isEmpty }
      guard let parent = self.item(item.parent) else { return false }
      item = parent
    }
    return false
  }

  private func item(_ index: Int) -> Item? {
    guard index < count else { return nil }
    let place = start + index * Self.itemSize
    guard let parent = Self.number(bytes, at: place + 4),
      let nameStart = Self.number(bytes, at: place + 8),
      let value = Self.range(bytes, at: place + 16)
    else { return nil }
    let nameEnd = nameStart + Int(bytes[place + 12]) + Int(bytes[place + 13]) << 8
    guard nameEnd <= bytes.count else { return nil }
    return Item(
      parent: parent, name: bytes[nameStart..<nameEnd],
      isValue: bytes[place + 14] == UInt8(ascii: "v"),
      value: value)
  }

  /// Two numbers, which are where something begins and ends.
  private static func range(_ bytes: [UInt8], at place: Int) -> Range<Int>? {
    guard let start = number(bytes, at: place), let end = number(bytes, at: place + 4),
      start <= end, end <= bytes.count
    else { return nil }
    return start..<end
  }

  /// A number of 32 bits, the least of its bytes first.
  private static func number(_ bytes: [UInt8], at place: Int) -> Int? {
    guard place + 4 <= bytes.count else { return nil }
    return (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
  }
}
