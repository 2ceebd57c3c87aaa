// SPDX-License-Identifier: MIT

import Testing

@testable import Settings

/// A switch, its radios, clients and other programs that do anything in any order; the same for the
/// same seed. Beside it a plain account of who did what to each radio, which knows nothing of how
/// the switch decides.
private struct Flight {
  struct Radio {
    var reading = Reading.on
    /// Turned off by the switch, and on by nobody since.
    var isOurs = false
    /// When it came back off, until it was turned on or off.
    var returned: Duration?
    /// When it was last turned off again.
    var reasserted: Duration?
    /// What the switch asked of it and has had no answer to.
    var asked: (on: Bool, serial: UInt64)?
  }

  private var random: Generator
  private var airplane: Airplane
  private var radios: [RowID: Radio] = [:]
  private var disk: AirplaneRecord?
  /// The client's flip under way.
  private var wanted: Bool?
  private var wish = false
  /// Whether that flip failed, and is being undone.
  private var isUndoing = false
  private var now = Duration.seconds(1)
  private var reassertions: [RowID] = []

  private static let ids = [Cockpit.wifi, Cockpit.bluetooth, Cockpit.mobile]

  init(seed: UInt64) {
    random = Generator(state: seed)
    airplane = Airplane(members: Self.ids, record: .success(nil), boot: "1")
    for id in Self.ids {
      radios[id] = Radio()
      tell(id, byFlip: false)
    }
  }

  /// - Returns: how often a radio was turned off again because it came back on.
  mutating func run(steps: Int) -> Int {
    for _ in 0..<steps { step() }
    answerAll()
    // A flip off brings back what is the switch's and there, and nothing else.
    let before = radios
    begin(false)
    answerAll()
    for (id, radio) in before {
      let isRestored = radio.isOurs && radio.reading == .off
      #expect(radios[id]?.reading == (isRestored ? .on : radio.reading), "\(id)")
    }
    #expect(airplane.reading.state == .off)
    #expect(disk?.isOn == false)
    return reassertions.count
  }

  private mutating func step() {
    now += .milliseconds(Int.random(in: 0...3000, using: &random))
    let id = Self.ids[Int.random(in: 0..<Self.ids.count, using: &random)]
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1:
      let on = Bool.random(using: &random)
      if airplane.change == nil { begin(on) }
    case 2, 3, 4, 5: answer(id, failing: Int.random(in: 0..<6, using: &random) == 0)
    case 6, 7: leave(id)
    case 8, 9, 10:
      let reading = [Reading.on, .off, .mixed][Int.random(in: 0..<3, using: &random)]
      let byFlip = Int.random(in: 0..<4, using: &random) == 0
      if radios[id]?.asked == nil, radios[id]?.reading != reading {
        change(id, to: reading, byFlip: byFlip)
      }
    default:
      if airplane.change == nil, radios.values.allSatisfy({ $0.asked == nil }) { restart() }
    }
  }

  private mutating func begin(_ on: Bool) {
    wanted = on
    perform(airplane.flip(on, heading: [:]))
  }

  private mutating func answerAll() {
    while let id = Self.ids.first(where: { radios[$0]?.asked != nil }) {
      answer(id, failing: false)
    }
    #expect(airplane.change == nil)
    #expect(wanted == nil)
    #expect(airplane.reading.state == SwitchState(wish))
  }

  // MARK: What happens to a radio

  private mutating func leave(_ id: RowID) {
    guard var radio = radios[id], radio.reading.state != .unknown else { return }
    // On its way off it went, and off it is taken to be.
    if radio.asked?.on == false, radio.reading != .off { radio.isOurs = true }
    (radio.asked, radio.returned, radio.reading) = (nil, nil, .unreadable(Cockpit.gone))
    radios[id] = radio
    tell(id, byFlip: false)
  }

  /// Someone else changes a radio that the switch asks nothing of.
  private mutating func change(_ id: RowID, to reading: Reading, byFlip: Bool) {
    guard var radio = radios[id] else { return }
    let wasAway = radio.reading.state == .unknown
    let since = reading == .mixed && !wasAway ? radio.reasserted : radio.returned
    let isRecent = since.map { now < $0 + Airplane.settleTime } ?? false
    let isOfReturn = wasAway || isRecent != (reading == .mixed)
    let isTurnedOff = isUndoing ? wish : wanted ?? wish
    let isOn = reading != .off
    if isOn, !(radio.isOurs && isOfReturn && !byFlip && isTurnedOff) {
      radio.isOurs = false
    }
    if reading == .off, wasAway { radio.returned = now }
    radio.reading = reading
    radios[id] = radio
    let count = reassertions.count
    tell(id, byFlip: byFlip)
    if isOn {
      #expect(reassertions.count - count == (radio.isOurs ? 1 : 0), "\(id)")
      radios[id]?.returned = nil
    }
  }

  private mutating func restart() {
    airplane = Airplane(members: Self.ids, record: .success(disk), boot: "1")
    #expect(airplane.start() == [])
    #expect(airplane.reading.state == SwitchState(wish))
    for id in Self.ids {
      radios[id]?.returned = nil
      radios[id]?.reasserted = nil
      tell(id, byFlip: false)
    }
  }

  private mutating func tell(_ id: RowID, byFlip: Bool) {
    guard let reading = radios[id]?.reading else { return }
    perform(airplane.didRead(id, reading, byFlip: byFlip, at: now))
  }

  // MARK: What the switch does

  private mutating func perform(_ effects: [Airplane.Effect]) {
    for effect in effects {
      switch effect {
      case .flip(let id, let on, let serial):
        let radio = radios[id] ?? Radio()
        if on {
          #expect(radio.isOurs || radio.reading != .off, "\(id) is none of its business")
          // It gives up what it could not do.
          if wanted == true, airplane.change != nil {
            radios[id]?.isOurs = false
            isUndoing = true
          }
        } else if radio.isOurs {
          reassertions.append(id)
          radios[id]?.reasserted = now
        }
        radios[id]?.asked = (on, serial)
      case .save(let record, let serial):
        disk = record
        perform(airplane.didSave(.success(()), serial: serial))
      case .finish(let error):
        #expect(wanted != nil, "nobody waits for that")
        if error == nil || wanted == false { wish = wanted ?? wish }
        (wanted, isUndoing) = (nil, false)
      case .note: break
      }
    }
  }

  private mutating func answer(_ id: RowID, failing: Bool) {
    guard var radio = radios[id], let (on, serial) = radio.asked else { return }
    radio.asked = nil
    guard !failing else {
      radio.isOurs = false
      radios[id] = radio
      let error = FlipError(.backendFailed, "no")
      return perform(airplane.didFlip(id, .failure(error), serial: serial))
    }
    if !on, radio.reading != .off { radio.isOurs = true }
    if on { radio.isOurs = false }
    if radio.reading != Reading(on) {
      radio.reading = Reading(on)
      radio.returned = nil
      radios[id] = radio
      tell(id, byFlip: true)
    } else {
      radios[id] = radio
    }
    perform(airplane.didFlip(id, .success(()), serial: serial))
  }
}

@Suite("An airplane switch, whatever happens in whatever order")
struct AirplaneSimulationTests {
  @Test("restores what it turned off and nobody touched since, and nothing else")
  func simulation() {
    var reassertions = 0
    for seed in 1...500 as ClosedRange<UInt64> {
      var flight = Flight(seed: seed)
      reassertions += flight.run(steps: 200)
    }
    #expect(reassertions > 500, "the simulation has lost its interest")
  }
}
