// SPDX-License-Identifier: MIT

import Settings
import Testing

@Suite("An airplane switch and radios that go and come back")
struct AirplaneReturnTests {
  private let wifi = Cockpit.wifi
  private let bluetooth = Cockpit.bluetooth

  private func record(_ on: Bool, _ blocked: RowID..., boot: String = "1") -> AirplaneRecord {
    AirplaneRecord(isOn: on, blocked: Set(blocked), boot: boot)
  }

  /// A switch that has turned Wi-Fi off; Bluetooth was off before.
  private func flying() -> Cockpit {
    var cockpit = Cockpit([wifi: .on, bluetooth: .off])
    cockpit.flip(true)
    _ = cockpit.takeJournal()
    return cockpit
  }

  @Test("one that goes was touched by nobody, and is restored when it is back")
  func lossIsNoTouch() {
    var cockpit = flying()
    cockpit.goAway(wifi)
    cockpit.read(wifi, .off)
    #expect(cockpit.takeJournal() == [])
    cockpit.flip(false)
    #expect(cockpit.takeJournal() == ["wifi on", "save off", "ended"])
  }

  @Test("one that comes back on is turned off again, once each time it comes back")
  func reassert() {
    var cockpit = flying()
    for _ in 1...3 {
      cockpit.goAway(wifi)
      cockpit.read(wifi, .on)
      // Nothing is written for it: nothing that is to be remembered has changed.
      #expect(cockpit.takeJournal() == ["wifi off"])
      #expect(cockpit.radios[wifi] == .off)
    }
    // Whoever turns it on after that means it.
    cockpit.read(wifi, .on)
    #expect(cockpit.takeJournal() == ["save on"])
    #expect(cockpit.radios[wifi] == .on)
    cockpit.flip(false)
    #expect(cockpit.takeJournal() == ["save off", "ended"])
  }

  @Test("one that is powered right after it came back is turned off again, and later is not")
  func settles() {
    for (time, isReasserted) in [(Duration.seconds(9), true), (.seconds(10), false)] {
      var cockpit = flying()
      cockpit.goAway(wifi)
      cockpit.read(wifi, .off)
      cockpit.pass(time)
      cockpit.read(wifi, .on)
      #expect(cockpit.takeJournal() == [isReasserted ? "wifi off" : "save on"])
    }
  }

  @Test("one that gets an adapter more, which is on, is turned off again, and at once again is not")
  func secondAdapter() {
    var cockpit = flying()
    cockpit.read(wifi, .mixed)
    #expect(cockpit.takeJournal() == ["wifi off"])
    cockpit.pass(.seconds(10))
    cockpit.read(wifi, .mixed)
    #expect(cockpit.takeJournal() == ["wifi off"])
    cockpit.pass(.seconds(5))
    cockpit.read(wifi, .mixed)
    #expect(cockpit.takeJournal() == ["save on"])
    #expect(cockpit.radios[wifi] == .mixed)
  }

  @Test("one that a client turns on when it comes back stays on")
  func flippedOnReturn() {
    var cockpit = flying()
    cockpit.goAway(wifi)
    cockpit.read(wifi, .on, byFlip: true)
    #expect(cockpit.takeJournal() == ["save on"])
  }

  @Test("one that comes on after a sleep is turned off again, once")
  func sleep() {
    var cockpit = flying()
    cockpit.pass(.seconds(3600))
    cockpit.sleep()
    cockpit.read(wifi, .on)
    #expect(cockpit.takeJournal() == ["wifi off"])
    cockpit.read(wifi, .on)
    #expect(cockpit.takeJournal() == ["save on"])
  }

  @Test("one that was off, or not there, is left alone however it comes")
  func neverBlocked() {
    var cockpit = flying()
    cockpit.goAway(bluetooth)
    cockpit.read(bluetooth, .on)
    #expect(cockpit.takeJournal() == [])
    #expect(cockpit.radios[bluetooth] == .on)
  }

  @Test("one that comes back on and can't be turned off is let be, and said so")
  func cannotReassert() {
    var cockpit = flying()
    cockpit.goAway(wifi)
    cockpit.errors[wifi] = FlipError(.backendFailed, "no")
    cockpit.read(wifi, .on)
    #expect(cockpit.takeJournal() == ["wifi off", "save on"])
    #expect(cockpit.texts == ["wifi came back and can't be turned off: no"])
  }

  @Test("one that goes again while it is turned off again is turned off when it returns")
  func goesWhileReasserted() {
    var cockpit = flying()
    cockpit.silent = [wifi]
    cockpit.goAway(wifi)
    cockpit.read(wifi, .on)
    cockpit.goAway(wifi)
    cockpit.answer(wifi, FlipError(.timedOut, "late"))
    cockpit.silent = []
    cockpit.read(wifi, .on)
    #expect(cockpit.takeJournal() == ["wifi off", "wifi off"])
    #expect(cockpit.disk == record(true, wifi))
  }

  @Test("one that is away when the switch is turned off is turned on when it comes back off")
  func owed() {
    var cockpit = flying()
    cockpit.goAway(wifi)
    cockpit.flip(false)
    #expect(cockpit.takeJournal() == ["save off wifi", "ended"])
    var restarted = cockpit.restarted()
    #expect(restarted.takeJournal() == [])
    for var cockpit in [cockpit, restarted] {
      _ = cockpit.takeJournal()
      cockpit.read(wifi, .off)
      #expect(cockpit.takeJournal() == ["wifi on", "save off"])
      #expect(cockpit.radios[wifi] == .on)
      // It is theirs again.
      cockpit.goAway(wifi)
      cockpit.read(wifi, .off)
      #expect(cockpit.takeJournal() == [])
    }
    // On already: somebody was faster.
    cockpit.read(wifi, .on)
    #expect(cockpit.takeJournal() == ["save off"])
  }

  @Test("one that comes back in the middle of the flip off is turned on after it")
  func returnsDuringFlip() {
    var cockpit = Cockpit([wifi: .on, bluetooth: .on])
    cockpit.flip(true)
    cockpit.goAway(wifi)
    cockpit.silent = [bluetooth]
    cockpit.flip(false)
    cockpit.read(wifi, .off)
    _ = cockpit.takeJournal()
    cockpit.answer(bluetooth)
    #expect(cockpit.takeJournal() == ["save off wifi", "wifi on", "save off", "ended"])
  }

  // MARK: Starts

  @Test("a restart of the daemon writes nothing, and knows what it knew")
  func restart() {
    var cockpit = flying().restarted()
    #expect(cockpit.takeJournal() == [])
    #expect(cockpit.airplane.reading == .on)
    cockpit.flip(false)
    #expect(cockpit.takeJournal() == ["wifi on", "save off", "ended"])
  }

  @Test("one that was turned on while the daemon was away is its user's")
  func touchedWhileDown() {
    var cockpit = flying().restarted([wifi: .on])
    #expect(cockpit.takeJournal() == ["save on"])
    #expect(cockpit.radios[wifi] == .on)
  }

  @Test("one that is not there yet when the daemon starts is turned off when it comes on")
  func comesAfterStart() {
    var cockpit = flying().restarted([wifi: .unreadable(Cockpit.gone)])
    cockpit.read(wifi, .on)
    #expect(cockpit.takeJournal() == ["wifi off"])
  }

  @Test("one that could not be read at first was not away")
  func slowAtStart() {
    let slow = Reading.unreadable(Problem(.timeout, "no answer"))
    var cockpit = flying().restarted([wifi: slow])
    cockpit.read(wifi, .on)
    #expect(cockpit.takeJournal() == ["save on"])
  }

  @Test("after a start of the machine it does not matter who was first")
  func reboot() {
    // The daemon finds it on, or sees it come on a moment later.
    var late = flying().restarted(boot: "2", [wifi: .on])
    #expect(late.takeJournal() == ["save on wifi", "wifi off"])
    var early = flying().restarted(boot: "2")
    early.pass(.seconds(2))
    early.read(wifi, .on)
    #expect(early.takeJournal() == ["save on wifi", "wifi off"])
    for cockpit in [late, early] {
      #expect(cockpit.disk == record(true, wifi, boot: "2"))
      // Another start of the daemon alone is none of the machine.
      var again = cockpit.restarted(boot: "2", [wifi: .on])
      #expect(again.takeJournal() == ["save on"])
    }
  }

  @Test(
    "a record is read as it was written",
    arguments: [
      AirplaneRecord(isOn: true, blocked: [Cockpit.wifi, Cockpit.bluetooth], boot: "a-b"),
      AirplaneRecord(isOn: true, blocked: [Cockpit.wifi], isUnfinished: true, boot: "a"),
      AirplaneRecord(isOn: false, blocked: [], boot: ""),
    ])
  func record(_ record: AirplaneRecord) {
    #expect(AirplaneRecord(record.text) == record)
  }

  @Test(
    "what was not written like this is no record",
    arguments: [
      "", "\n", "on", "on\n", "maybe in boot 1\n", "on in boot 1", "on in boot 1\nwifi",
      "on in boot 1\nwifi\nwifi\n", "on in boot 1\nWi-Fi\n", "on in boot 1\n\n", "on\0 in boot 1\n",
    ])
  func noRecord(_ text: String) {
    #expect(AirplaneRecord(text) == nil)
  }
}
