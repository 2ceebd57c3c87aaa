// SPDX-License-Identifier: MIT

import DBusTypes
import Synchronization
import Testing

@Suite("Values")
struct ValueTests {
  @Test("every value knows its type, empty containers too")
  func types() {
    let cases: [(Value, String)] = [
      (.byte(1), "y"), (.boolean(true), "b"), (.int16(1), "n"), (.uint16(1), "q"),
      (.int32(1), "i"), (.uint32(1), "u"), (.int64(1), "x"), (.uint64(1), "t"), (.double(1), "d"),
      (.string(""), "s"), (.objectPath("/"), "o"), (.signature(""), "g"),
      (.unixDescriptor(UnixDescriptor(adopting: -1) { _ in }), "h"), (.variant(.byte(1)), "v"),
      (.array(of: .dictionary(key: .string, value: .variant), []), "aa{sv}"),
      (.dictionary(key: .string, value: .array(.int32), entries: []), "a{sai}"),
      (.structure([.byte(1), .array(of: .string, [])]), "(yas)"),
    ]
    for (value, code) in cases {
      #expect(value.type.code == code)
      #expect(value.problem == nil)
    }
  }

  @Test("a value that contradicts itself says how")
  func problems() {
    let cases: [(Value, String)] = [
      (.string("a\u{0}"), "a string holds U+0000, which D-Bus cannot carry"),
      (.structure([]), "a structure has no members"),
      (.array(of: .string, [.int32(1)]), "an array of s holds i"),
      (.array(of: .structure([]), []), "a() is not a valid type"),
      (
        .dictionary(key: .variant, value: .byte, entries: []), "a{vy} is not a valid type"
      ),
      (
        .dictionary(key: .string, value: .byte, entries: [.init(.string("a"), .string("b"))]),
        "a dictionary of s to y holds s and s"
      ),
      (.structure([.variant(.string("\u{0}"))]), "a string holds U+0000, which D-Bus cannot carry"),
      (
        (0..<1000).reduce(Value.byte(0)) { value, _ in .variant(value) },
        "containers nest deeper than 64"
      ),
      (
        (0..<1000).reduce(Value.byte(0)) { value, _ in .structure([value]) },
        "containers nest deeper than 64"
      ),
    ]
    for (value, problem) in cases {
      #expect(value.problem == problem)
    }
  }

  @Test("values are looked into without casts")
  func access() {
    let options = Value.options([("on", .boolean(true)), ("n", .variant(.uint32(3)))])
    #expect(options["on"]?.asBoolean == true)
    #expect(options["n"]?.asInteger == 3)
    #expect(options["missing"] == nil)
    #expect(Value.byte(1)["on"] == nil)
    #expect(Value.uint64(.max).asInteger == nil)
    #expect(Value.objectPath("/a").asString == "/a")
    #expect(Value.byte(1).asString == nil)
    #expect(Value.variant(.variant(.byte(1))).unwrapped == .byte(1))
  }

  @Test("a descriptor is closed once, with its last reference")
  func descriptor() {
    let log = CloseLog()
    var first: UnixDescriptor? = UnixDescriptor(adopting: 42) { log.add($0) }
    var value: Value? = first.map { .unixDescriptor($0) }
    let other = UnixDescriptor(adopting: 42) { _ in }
    #expect(first != other)
    #expect(value == first.map { .unixDescriptor($0) })
    first = nil
    #expect(log.closed == [])
    #expect(value != nil)
    value = nil
    #expect(log.closed == [42])
  }
}

/// The descriptors that were closed.
private final class CloseLog: Sendable {
  private let numbers = Mutex<[Int32]>([])

  var closed: [Int32] { numbers.withLock { $0 } }

  func add(_ number: Int32) {
    numbers.withLock { $0.append(number) }
  }
}
