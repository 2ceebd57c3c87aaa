// SPDX-License-Identifier: MIT

/// The name among `names` that `typed` was most likely meant to be, or nil where none is near.
package func suggestion(for typed: String, among names: some Sequence<String>) -> String? {
  suggestions(for: typed, among: names, limit: 1).first
}

/// The names nearest to `typed`, the nearest first, at most `limit`; only those are near that
/// differ in about a third of their letters or less, or that `typed` begins.
package func suggestions(
  for typed: String, among names: some Sequence<String>, limit: Int
) -> [String] {
  let wanted = folded(typed)
  // Nobody means a name by a text much longer than names are, and the distance is quadratic.
  guard !wanted.isEmpty, wanted.count <= 128 else { return [] }
  var near: [(distance: Int, name: String)] = []
  for name in names {
    let candidate = folded(name)
    let most = min(3, max(wanted.count, candidate.count) / 3)
    let begins = wanted.count >= 3 && candidate.starts(with: wanted)
    guard begins || abs(candidate.count - wanted.count) <= most else { continue }
    let distance = editDistance(wanted, candidate)
    if distance <= most {
      near.append((distance, name))
    } else if begins {
      near.append((most + 1, name))
    }
  }
  near.sort { ($0.distance, $0.name) < ($1.distance, $1.name) }
  return near.prefix(limit).map(\.name)
}

/// Lower case, with `-` as `_`: how ids and keys are compared for nearness.
private func folded(_ text: String) -> [UInt8] {
  text.utf8.map { byte in
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
    case UInt8(ascii: "-"): UInt8(ascii: "_")
    default: byte
    }
  }
}

/// How many insertions, deletions, replacements and swaps of neighbours turn `a` into `b`
/// (the optimal string alignment distance).
private func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    row.reserveCapacity(b.count + 1)
    for j in b.indices {
      var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
        best = min(best, beforeLast[j - 1] + 1)
      }
      row.append(best)
    }
    (beforeLast, last) = (last, row)
  }
  return last[b.count]
}
