// SPDX-License-Identifier: MIT

import Settings
import TestSupport
import Testing

@testable import Backends

@MainActor
@Suite("a dconf database")
struct DConfTableTests {
  private let directory: TemporaryDirectory
  private let bytes: [UInt8]

  init() throws {
    directory = try TemporaryDirectory()
    bytes = try DConfStage.database(
      """
      [org/example/lamp]
      lit=true
      scheme='prefer-dark'
      [org/example/lamp/more]
      lit=false
      [/]
      lit=5

      """, in: directory)
  }

  private static let keys = [
    "/org/example/lamp/lit", "/org/example/lamp/scheme", "/org/example/lamp/more/lit", "/lit",
  ]

  @Test("has the value of each key, by its whole path")
  func values() throws {
    let table = try #require(DConfTable(bytes))
    let values = Self.keys.map { table.value(of: $0) }
    #expect(values[0] == [1, 0] + Array("b".utf8))
    #expect(values[1] == Array("prefer-dark\0\0s".utf8))
    #expect(values[2] == [0, 0] + Array("b".utf8))
    #expect(values[3]?.last == UInt8(ascii: "i"))
    for none in [
      "", "/", "lit", "/lamp/lit", "/org/example/lamp/", "/org/example/lamp/lit/", "//lit",
    ] {
      #expect(table.value(of: none) == nil, "\(none)")
    }
  }

  @Test("that is cut off anywhere has no value that is not its own")
  func cut() {
    for length in 0..<bytes.count {
      guard let table = DConfTable(Array(bytes.prefix(length))) else { continue }
      for key in Self.keys {
        let value = table.value(of: key)
        #expect(value == nil || value == DConfTable(bytes)?.value(of: key), "\(length) \(key)")
      }
    }
  }

  @Test("with any byte changed is read to its end", arguments: [0, 1, 4, 0x7f, 0xff] as [UInt8])
  func changed(byte: UInt8) {
    for place in bytes.indices {
      var bytes = bytes
      bytes[place] = byte
      let table = DConfTable(bytes)
      for key in Self.keys { _ = table?.value(of: key) }
    }
  }

  @Test("of directories in a circle, or of nothing, has no values")
  func circle() throws {
    var bytes = bytes
    // Every item's parent is the first item: also that one's own.
    func number(_ place: Int) -> Int { Int(bytes[place]) + Int(bytes[place + 1]) << 8 }
    let (root, end) = (number(16), number(20))
    let firstItem = root + 8 + 4 * (number(root) + number(root + 4))
    try #require(end - firstItem >= 24 * Self.keys.count)
    for item in stride(from: firstItem, to: end, by: 24) {
      bytes.replaceSubrange(item + 4..<item + 8, with: [0, 0, 0, 0])
    }
    let table = try #require(DConfTable(bytes))
    for key in Self.keys { #expect(table.value(of: key) == nil) }
    #expect(DConfTable([]) == nil && DConfTable(Array("GVariant".utf8)) == nil)
    #expect(DConfTable([UInt8](repeating: 0xff, count: 1000)) == nil)
    #expect(DConfTable(Array("GVariant".utf8) + [UInt8](repeating: 0xff, count: 1000)) == nil)
  }
}
