// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import EventLoop
import Glibc
import TestSupport
import Testing

@Suite("Messages")
struct MessageTests {
  /// A message that nobody sends.
  private func message(
    _ body: (inout Writer) -> Void
  ) throws(DBusError) -> Message {
    let message = Message.signal("Test", of: "org.example.Test1", at: "/")
    try message.write(body)
    return message
  }

  /// U+FDD0, U+FFFE and U+10FFFF, which Swift takes in no literal; the bus carries them.
  static let noncharacters = String(
    decoding: [0xEF, 0xB7, 0x90, 0xEF, 0xBF, 0xBE, 0xF4, 0x8F, 0xBF, 0xBF], as: UTF8.self)

  static let values: [Value] = [
    .byte(0), .byte(255), .boolean(true), .boolean(false), .int16(.min), .uint16(.max),
    .int32(.min), .uint32(.max), .int64(.min), .uint64(.max), .double(0.1), .double(-.infinity),
    .string(""), .string("naïve 🦆"), .string(noncharacters), .objectPath("/"), .objectPath("/a/b"),
    .signature(""),
    .signature("a{sv}(i)"), .variant(.int32(1)), .variant(.variant(.variant(.string("deep")))),
    .array(of: .string, []), .array(of: .byte, [.byte(1), .byte(2)]),
    .array(of: .array(.int32), [.array(of: .int32, []), .array(of: .int32, [.int32(1)])]),
    .array(of: .structure([.int32, .string]), []),
    .array(of: .variant, [.variant(.byte(1)), .variant(.string("x"))]),
    .dictionary(key: .string, value: .variant, entries: []),
    .dictionary(
      key: .uint32, value: .array(.string),
      entries: [.init(.uint32(1), .strings(["a", "b"])), .init(.uint32(2), .strings([]))]),
    .structure([.byte(1), .structure([.string("in"), .array(of: .double, [.double(2)])])]),
    .options([("a", .int32(1)), ("b", .options([("c", .strings([]))]))]),
  ]

  @Test("a value comes out of a message as it went in", arguments: values)
  func roundTrip(value: Value) throws {
    let message = try message { $0.append(value) }
    #expect(message.signature == value.type.code)
    #expect(try message.values() == [value])
    let wrapped = try self.message { $0.appendVariant(value) }
    #expect(try wrapped.read(Value.self) == value)
  }

  @Test("all values go through one message in order")
  func sequence() throws {
    let message = try message { writer in
      for value in Self.values.prefix(20) {
        writer.append(value)
      }
    }
    #expect(try message.values() == Array(Self.values.prefix(20)))
  }

  @Test("a Swift type comes out of a message as it went in")
  func typedRoundTrip() throws {
    let message = try message { writer in
      ["a": [Int32(1), 2], "b": []].write(to: &writer)
      [UInt8]([1, 2, 3]).write(to: &writer)
      [UInt8]().write(to: &writer)
      [String]().write(to: &writer)
      Structure("x", UInt64.max, [Structure(true, Int16(-1))]).write(to: &writer)
      Pairs([(key: "z", value: Value.byte(1)), (key: "a", value: .byte(2))]).write(to: &writer)
    }
    #expect(message.signature == "a{sai}ayayas(sta(bn))a{sv}")
    let (dictionary, bytes, noBytes, strings, structure, pairs) = try message.read(
      [String: [Int32]].self, [UInt8].self, [UInt8].self, [String].self,
      Structure<String, UInt64, [Structure<Bool, Int16>]>.self, Pairs<String, Value>.self)
    #expect(dictionary == ["a": [1, 2], "b": []])
    #expect(bytes == [1, 2, 3])
    #expect(noBytes == [])
    #expect(strings == [])
    #expect(structure.members.0 == "x")
    #expect(structure.members.1 == .max)
    #expect(structure.members.2.first?.members.1 == -1)
    #expect(pairs.entries.map(\.key) == ["z", "a"])
    #expect(pairs.entries.map(\.value) == [.byte(1), .byte(2)])
  }

  @Test("reading other types than were sent throws and names both")
  func mismatch() throws {
    let message = try message { $0.append("text") }
    #expect(throws: DBusError(.invalidArgs, "expected arguments of types 'i', found 's'")) {
      try message.read(Int32.self)
    }
    #expect(throws: DBusError(.invalidArgs, "expected arguments of types '', found 's'")) {
      try message.read()
    }
    #expect(throws: DBusError(.invalidArgs, "expected a value of type 'i', found 's'")) {
      try message.withReader { reader throws(DBusError) in try Int32(from: &reader) }
    }
    #expect(throws: DBusError(.invalidArgs, "expected an array, found 's'")) {
      try message.withReader { reader throws(DBusError) in try [String](from: &reader) }
    }
    #expect(throws: DBusError(.invalidArgs, "expected a value of type 's', found nothing")) {
      try message.withReader { reader throws(DBusError) in
        reader.skip()
        return try reader.readString()
      }
    }
  }

  @Test("an array of other elements than asked for throws")
  func elementMismatch() throws {
    let message = try message { ["a"].write(to: &$0) }
    #expect(throws: DBusError.self) {
      try message.withReader { reader throws(DBusError) in try [Int32](from: &reader) }
    }
    #expect(throws: DBusError.self) {
      try message.withReader { reader throws(DBusError) in try [UInt8](from: &reader) }
    }
  }

  static let unsendable: [Value] = [
    .string("a\u{0}b"), .structure([]), .array(of: .string, [.int32(1)]),
    .array(of: .structure([]), []),
    .dictionary(key: .variant, value: .string, entries: []),
    .dictionary(key: .string, value: .string, entries: [.init(.string("a"), .int32(1))]),
    .variant(.structure([])), .structure([.array(of: .string, [.boolean(true)])]),
    nested(65) { .variant($0) }, nested(33) { .array(of: $0.type, [$0]) },
    nested(33) { .structure([$0]) },
    .array(of: .structure([.int32]), [.structure([.int32(1), .int32(2)])]),
    .structure(Array(repeating: .int32(0), count: 254)),
  ]

  private static func nested(_ depth: Int, _ wrap: (Value) -> Value) -> Value {
    (0..<depth).reduce(Value.byte(0)) { value, _ in wrap(value) }
  }

  @Test(
    "a value that contradicts itself is refused before libdbus sees it",
    arguments: unsendable.indices)
  func unsendableValues(index: Int) {
    let value = Self.unsendable[index]
    #expect(throws: DBusError.self) { try message { $0.append(.variant(value)) } }
    #expect(throws: DBusError.self) {
      try message { writer in
        writer.appendArray(of: "v") { $0.appendVariant(value) }
        writer.append("after a failure nothing is written")
      }
    }
  }

  @Test("values that nest as deep as the specification allows are sent and read")
  func deepest() throws {
    for value in [
      Self.nested(32) { .array(of: $0.type, [$0]) }, Self.nested(32) { .structure([$0]) },
      Self.nested(60) { .variant($0) },
    ] {
      let message = try message { $0.append(value) }
      #expect(try message.values() == [value])
    }
  }

  @Test("a failure inside containers sticks, and later writing does no harm")
  func stickyFailure() {
    let failure = DBusError(.failed, "given up")
    #expect(throws: failure) {
      try message { writer in
        writer.appendDictionary(of: "{sv}") { dictionary in
          dictionary.appendEntry { entry in
            entry.append("key")
            entry.appendVariant(of: "a(is)") { variant in
              variant.fail(failure)
              variant.append("dropped")
              variant.fail(.failed("a second one"))
            }
          }
          dictionary.appendEntry { $0.append("half an entry is never closed") }
        }
      }
    }
  }

  @Test("a descriptor that is not open fails the message")
  func closedDescriptor() {
    for number: Int32 in [-1, 1_000_000] {
      let descriptor = UnixDescriptor(adopting: number) { _ in }
      #expect(throws: DBusError.self) { try message { $0.append(descriptor) } }
    }
  }

  @Test("header fields are what the message was made of")
  func header() throws {
    let call = Message.call(
      "Frob", of: "org.example.Test1", at: "/a/b", destination: "org.example.Service")
    #expect(call.member == "Frob")
    #expect(call.interface == "org.example.Test1")
    #expect(call.path == "/a/b")
    #expect(call.destination == "org.example.Service")
    #expect(call.sender == nil)
    #expect(call.signature == "")
    #expect(!call.expectsNoReply)
    #expect(!call.allowsInteractiveAuthorization)
  }
}

@MainActor
@Suite("Descriptors in messages")
struct DescriptorTests {
  /// Gives a descriptor away.
  @MainActor
  final class Giver {
    var descriptor: UnixDescriptor?

    init(_ descriptor: UnixDescriptor) {
      self.descriptor = descriptor
    }

    static let table = InterfaceTable<Giver>(
      "org.example.Giver1",
      methods: [
        .method("Give", out: ["descriptor"]) { (giver, _) throws(DBusError) -> UnixDescriptor in
          guard let descriptor = giver.descriptor else { throw .failed("it is given away") }
          giver.descriptor = nil
          return descriptor
        }
      ])
  }

  @Test("a descriptor arrives as one of the receiver's own, and is closed with its last reference")
  func passing() throws {
    let fixture = try Fixture()
    let tree = ObjectTree(fixture.service)
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    // A child that another test starts meanwhile must not keep the writing end.
    for end in ends {
      try #require(fcntl(end, F_SETFD, FD_CLOEXEC) == 0)
    }
    let giver = Giver(UnixDescriptor(adopting: ends[1]) { _ = Glibc.close($0) })
    tree.export(at: "/giver", Giver.table.bound(to: giver))
    let reader = ends[0]
    defer { _ = Glibc.close(reader) }
    var result: CallResult? = try fixture.call(at: "/giver", of: "org.example.Giver1", "Give")
    var received: UnixDescriptor? = try result?.get().read(UnixDescriptor.self)
    let number = try #require(received?.number)
    #expect(number != ends[1])
    #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
    try #require(write(number, "x", 1) == 1)
    var byte: UInt8 = 0
    try #require(read(reader, &byte, 1) == 1)
    #expect(byte == UInt8(ascii: "x"))
    // With every writing end gone the pipe is at its end.
    received = nil
    result = nil
    try fixture.settle()
    #expect(read(reader, &byte, 1) == 0)
  }
}
