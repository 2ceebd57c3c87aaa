// SPDX-License-Identifier: MIT

import Settings
import Testing

@testable import Backends

@Suite("The kernel's records of radios")
struct RadiosTests {
  private func record(
    _ index: UInt8, type: UInt8 = 1, _ operation: UInt8, soft: UInt8 = 0, hard: UInt8 = 0,
    _ rest: UInt8...
  ) -> [UInt8] {
    [index, 0, 0, 0, type, operation, soft, hard] + rest
  }

  private func radios(_ records: [UInt8]...) throws -> Radios {
    var radios = Radios()
    for record in records { radios.take(try #require(RadioEvent(record))) }
    return radios
  }

  @Test("are taken with eight bytes, with nine, and with more")
  func sizes() throws {
    let short = try #require(RadioEvent([1, 2, 0, 0, 1, 2, 1, 1]))
    #expect(
      short
        == RadioEvent(
          index: 513, type: 1, operation: .change, isSoftBlocked: true, isHardBlocked: true,
          hardReasons: []))
    let whole = try #require(RadioEvent([1, 2, 0, 0, 1, 2, 1, 1, 3]))
    #expect(whole.hardReasons == [.signal, .notOwner])
    #expect(RadioEvent([1, 2, 0, 0, 1, 2, 1, 1, 3, 9, 9, 9]) == whole)
    for count in 0..<8 { #expect(RadioEvent([UInt8](repeating: 0, count: count)) == nil) }
  }

  @Test("of an unknown operation change nothing, and those of an unknown type count among all")
  func unknown() throws {
    let before = try radios(record(0, 0), record(1, type: 200, 0, soft: 1))
    var after = before
    after.take(try #require(RadioEvent(record(0, 77, soft: 1))))
    #expect(after == before)
    #expect(before.reading(of: .all) == .mixed)
    #expect(before.reading(of: .wlan) == .on)
  }

  @Test("several adapters of a class are on, off or mixed, whichever was told of first or last")
  func aggregate() throws {
    let cases: [(UInt8, UInt8, SwitchState)] = [
      (0, 0, .on), (1, 1, .off), (0, 1, .mixed), (1, 0, .mixed),
    ]
    for (first, second, state) in cases {
      let radios = try radios(
        record(4, 0, soft: first), record(9, type: 2, 0, soft: 1), record(2, 0, soft: second))
      #expect(radios.reading(of: .wlan).state == state)
      #expect(radios.reading(of: .bluetooth) == .off)
    }
  }

  @Test("a radio that goes leaves nothing behind, and its index may be another's next")
  func removal() throws {
    var radios = try radios(record(0, 0), record(1, 0, soft: 1))
    #expect(radios.reading(of: .wlan) == .mixed)
    radios.take(try #require(RadioEvent(record(1, 1))))
    #expect(radios.reading(of: .wlan) == .on)
    radios.take(try #require(RadioEvent(record(0, 1))))
    #expect(radios == Radios())
    #expect(
      radios.reading(of: .wlan) == .unreadable(Problem(.noDevice, "there is no Wi-Fi radio")))
    radios.take(try #require(RadioEvent(record(0, type: 2, 0))))
    #expect(radios.reading(of: .bluetooth) == .on)
    #expect(radios.reading(of: .wlan).problem?.reason == .noDevice)
  }

  @Test("a change of all radios of a class, or of all there are, is one of each")
  func changeAll() throws {
    var radios = try radios(record(0, 0), record(1, type: 2, 0))
    radios.take(try #require(RadioEvent(record(0, type: 2, 3, soft: 1))))
    #expect(radios.reading(of: .bluetooth) == .off)
    #expect(radios.reading(of: .wlan) == .on)
    radios.take(try #require(RadioEvent(record(0, type: 0, 3, soft: 1))))
    #expect(radios.reading(of: .all) == .off)
  }

  @Test(
    "a radio that the hardware blocks is off, and the reason is told in words",
    arguments: [
      ([], "use the machine's own switch or key, or its firmware's setup"),
      ([1], "use the machine's own switch or key, or its firmware's setup"),
      ([2], "something else owns it, such as the machine's management engine"),
      (
        [3],
        "its switch or key is off, and something else owns it, such as the machine's management "
          + "engine"
      ),
    ])
  func hardBlock(_ reasons: [UInt8], _ words: String) throws {
    let radios = try radios(record(3, 0, soft: 0, hard: 1) + reasons)
    let problem = Problem(.hardBlocked, "rfkill3 is blocked by the hardware: \(words)")
    #expect(radios.reading(of: .wlan) == Reading.off.with(problem))
  }

  @Test("the hardware that blocks one of several is told of unless all are on")
  func oneOfSeveral() throws {
    let radios = try radios(
      record(3, 0, hard: 1), record(1, 0), record(7, 0, hard: 1), record(2, type: 2, 0))
    let reading = radios.reading(of: .wlan)
    #expect(reading.state == .mixed)
    #expect(reading.problem?.reason == .hardBlocked)
    #expect(reading.problem?.text.hasPrefix("rfkill3 and 1 more ") == true)
    #expect(radios.reading(of: .bluetooth) == .on)
  }

  @Test("a wish names its class by the kernel's number, and a single radio by its index")
  func wishes() throws {
    let types = RadioClass.allCases.map(\.type)
    #expect(Set(types) == Set(0...8))
    #expect(RadioEvent.change(.wwan, isBlocked: true) == [0, 0, 0, 0, 5, 3, 1, 0])
    #expect(RadioEvent.change(.all, isBlocked: false) == [0, 0, 0, 0, 0, 3, 0, 0])
    let event = try #require(RadioEvent([1, 2, 0, 0, 2, 0, 1, 0, 0]))
    #expect(event.change(isBlocked: false) == [1, 2, 0, 0, 2, 2, 0, 0])
  }
}
