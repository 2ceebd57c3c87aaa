// SPDX-License-Identifier: MIT

import Settings
import Testing

@Suite("Hostile row files")
struct HostileRowFileTests {
  /// Xorshift, so that a failure comes again.
  private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
  }

  private static let good = """
    [Row]
    Title=Night Mode
    Title[es]=Modo nocturno
    Subtitle=Dark;colours \\; after\\ssunset
    Keywords=dark;night;
    IconColor=#102030
    Order=-3
    Timeout=2.5
    Default=on
    Locked=true
    RunOnChange=/bin/a "b c" \\\\x41 'd'
    X-Own=1

    [Backend]
    Type=dbus
    Service=org.bluez
    Implements=org.bluez.Adapter1
    Property=Powered
    On=(uint32 1, 'a', [1, 2]);{'a': <@ay [1]>}
    Off='a\\;b';-0x1F
    SetMethod=Set
    SetArguments=(%v, true)

    [Schedule]
    On=sunset+30
    Off=07:15
    Latitude=40.4
    Longitude=-3.7

    [Portal]
    Namespace=org.freedesktop.appearance
    Key=color-scheme
    On=uint32 1
    Off=uint32 0
    """

  private static let names = ["x.row", "x.section", "/a/x.row.d/y.conf"]

  /// Checks bytes as each kind of file; what comes out is bounded and fit for a terminal.
  private func check(_ bytes: [UInt8]) {
    for name in Self.names {
      let errors = FileCheck.errors(in: .bytes(bytes), at: name)
      #expect(errors.count <= 51)
      for error in errors {
        #expect(error.file == name)
        #expect(error.line >= 0 && error.line <= bytes.count + 1)
        #expect(!error.message.isEmpty)
        #expect(error.message.utf8.count < 4000)
        #expect(!error.message.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7f })
      }
    }
  }

  @Test("start from one that is good")
  func good() {
    #expect(FileCheck.errors(in: .bytes(Array(Self.good.utf8)), at: "x.row").isEmpty)
  }

  @Test("with bytes changed, cut and doubled never trap", arguments: 1...16)
  func mutated(_ seed: UInt64) {
    var random = Random(state: seed &* 0x9e37_79b9_7f4a_7c15)
    let telling = Array("[]=;\\'\"#%()<>{}@-+.:\n\r\t \0\u{7f}é0x".utf8)
    for _ in 0..<60 {
      var bytes = Array(Self.good.utf8)
      for _ in 0..<Int.random(in: 1...8, using: &random) where !bytes.isEmpty {
        let position = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[position] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes[position] = telling.randomElement(using: &random) ?? 0
        case 2: bytes.insert(telling.randomElement(using: &random) ?? 0, at: position)
        case 3: bytes.removeSubrange(position..<min(position + 9, bytes.count))
        default: bytes.insert(contentsOf: bytes[position...].prefix(40), at: position)
        }
      }
      check(bytes)
    }
  }

  @Test("of random bytes never trap", arguments: 1...8)
  func random(_ seed: UInt64) {
    var random = Random(state: seed &* 0x9e37_79b9_7f4a_7c15)
    for size in [1, 2, 3, 10, 100, 3000] {
      check((0..<size).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
  }

  @Test("cut anywhere never trap")
  func cut() {
    let bytes = Array(Self.good.utf8)
    for count in stride(from: 0, to: bytes.count, by: 3) { check(Array(bytes.prefix(count))) }
  }

  @Test("of up to 64 KiB of one thing end in few findings")
  func large() {
    let fill = { (text: String) in
      Array("[Row]\n".utf8)
        + Array(repeatElement(text.utf8, count: 65_000 / text.utf8.count).joined())
    }
    for text in ["a\n", "a=\n", "[a]\n", "[", "Title=", "\\;", ";", "(", "\n", "\u{feff}"] {
      check(fill(text))
    }
    for key in ["On=", "Rows=", "RunOnChange=", "Title=", "Keywords="] {
      for text in [";", "(", "a ", "[1,", "<", "\\\\", "a;", "@a"] {
        let value = String(repeating: text, count: 60_000 / text.utf8.count)
        check(
          Array("[Row]\n\(key)\(value)\n[Backend]\nType=dbus\n\(key)\(value)\n".utf8.prefix(65_536))
        )
      }
    }
    var keys = "[Row]\n"
    for number in 0..<6000 { keys += "k\(number)=1\n" }
    check(Array(keys.utf8))
  }
}
