// SPDX-License-Identifier: MIT

import Settings
import Testing

@Suite("An airplane switch")
struct AirplaneTests {
  private let wifi = Cockpit.wifi
  private let bluetooth = Cockpit.bluetooth
  private let mobile = Cockpit.mobile

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

  // MARK: The wish

  @Test("is not on because all radios happen to be off, nor off because one is turned on")
  func ownWish() {
    var cockpit = Cockpit([wifi: .on, bluetooth: .on])
    cockpit.read(wifi, .off, byFlip: true)
    cockpit.read(bluetooth, .off)
    #expect(cockpit.airplane.reading == .off)
    cockpit.flip(true)
    #expect(cockpit.airplane.reading == .on)
    cockpit.read(wifi, .on, byFlip: true)
    #expect(cockpit.airplane.reading == .on)
  }

  @Test("remembers who is on, has that on the disk before it acts, and restores only those")
  func onAndOff() {
    var cockpit = Cockpit([wifi: .on, bluetooth: .off, mobile: .mixed])
    #expect(cockpit.takeJournal() == [])
    cockpit.flip(true)
    #expect(
      cockpit.takeJournal() == ["save on mobile wifi", "wifi off", "mobile off", "ended"])
    #expect(cockpit.airplane.reading == .on)
    cockpit.flip(false)
    #expect(cockpit.takeJournal() == ["wifi on", "mobile on", "save off", "ended"])
    #expect(cockpit.radios == [wifi: .on, bluetooth: .off, mobile: .on])
    #expect(cockpit.airplane.reading == .off)
  }

  @Test("a radio that is turned on by hand meanwhile stays on, and is not restored later")
  func touchedByHand() {
    for byFlip in [true, false] {
      var cockpit = flying()
      cockpit.read(wifi, .on, byFlip: byFlip)
      #expect(cockpit.takeJournal() == ["save on"])
      cockpit.read(wifi, .off, byFlip: byFlip)
      cockpit.flip(false)
      #expect(cockpit.takeJournal() == ["save off", "ended"])
      #expect(cockpit.radios[wifi] == .off)
    }
  }

  @Test("a radio on its way counts as what it will be")
  func heading() {
    var cockpit = Cockpit([wifi: .off, bluetooth: .on])
    cockpit.flip(true, heading: [wifi: true, bluetooth: false])
    #expect(cockpit.takeJournal() == ["save on wifi", "wifi off", "bluetooth off", "ended"])
  }

  @Test(
    "a radio that can't be read is turned off and not on again; one that is gone is passed over")
  func unreadable() {
    let slow = Reading.unreadable(Problem(.timeout, "no answer"))
    var cockpit = Cockpit([wifi: .on, bluetooth: .off, mobile: .unreadable(Cockpit.gone)])
    cockpit.read(bluetooth, slow)
    #expect(cockpit.airplane.isUnknown(bluetooth))
    #expect(!cockpit.airplane.isUnknown(mobile))
    cockpit.flip(true)
    #expect(cockpit.takeJournal() == ["save on wifi", "wifi off", "bluetooth off", "ended"])
  }

  @Test("where no radio is there it keeps its wish and says so")
  func noRadios() {
    var cockpit = Cockpit([wifi: .unreadable(Cockpit.gone), bluetooth: .on])
    #expect(cockpit.airplane.reading == .off)
    cockpit.goAway(bluetooth)
    #expect(cockpit.airplane.reading.state == .off)
    #expect(cockpit.airplane.reading.problem?.reason == .noDevice)
    #expect(
      cockpit.airplane.reading.problem?.text == "no radio is there; wifi: there is no adapter")
    cockpit.flip(true)
    #expect(cockpit.airplane.reading.state == .on)
  }

  // MARK: What fails

  @Test("a radio that can't be turned off is named, and what was turned off is on again")
  func cannotTurnOff() {
    var cockpit = Cockpit([wifi: .on, bluetooth: .on, mobile: .off])
    cockpit.errors[bluetooth] = FlipError(.backendFailed, "the driver is stuck")
    cockpit.flip(true)
    #expect(
      cockpit.takeJournal() == [
        "save on bluetooth wifi", "wifi off", "bluetooth off", "wifi on", "save off",
        "failed backendFailed",
      ])
    #expect(cockpit.radios == [wifi: .on, bluetooth: .on, mobile: .off])
    #expect(
      cockpit.texts.last
        == "bluetooth can't be turned off: the driver is stuck; what was turned off before is on "
        + "again")
    #expect(cockpit.airplane.reading == .off)
  }

  @Test("one that does not answer is named before the time is over, also if it hangs on")
  func outOfTime() {
    var cockpit = Cockpit([wifi: .on, bluetooth: .on])
    cockpit.silent = [bluetooth]
    cockpit.flip(true)
    cockpit.outOfTime()
    #expect(
      cockpit.takeJournal() == [
        "save on bluetooth wifi", "wifi off", "bluetooth off", "wifi on", "bluetooth on",
      ])
    cockpit.outOfTime()
    #expect(cockpit.takeJournal() == ["save off", "failed timedOut"])
    #expect(cockpit.texts.last?.hasPrefix("bluetooth can't be turned off: ") == true)
    // Its late answers are nobody's business.
    cockpit.answer(bluetooth)
    #expect(cockpit.takeJournal() == [])
    #expect(cockpit.airplane.reading == .off)
    #expect(cockpit.radios == [wifi: .on, bluetooth: .on])
  }

  @Test("one that goes when it is turned off is off, and not waited for")
  func goesWhenBlocked() {
    var cockpit = Cockpit([wifi: .on, bluetooth: .on])
    cockpit.silent = [bluetooth]
    cockpit.flip(true)
    cockpit.goAway(bluetooth)
    #expect(cockpit.takeJournal().last == "ended")
    cockpit.answer(bluetooth, FlipError(.timedOut, "late"))
    #expect(cockpit.airplane.reading == .on)
    #expect(cockpit.disk == record(true, wifi, bluetooth))
  }

  @Test("someone who turns a radio on while it is being turned off has it")
  func superseded() {
    var cockpit = Cockpit([wifi: .on, bluetooth: .on])
    cockpit.silent = [wifi]
    cockpit.flip(true)
    cockpit.answer(wifi, FlipError(.superseded, "someone wished otherwise"))
    #expect(cockpit.takeJournal().last == "ended")
    #expect(cockpit.disk == record(true, bluetooth))
    cockpit.flip(false)
    #expect(cockpit.takeJournal() == ["bluetooth on", "save off", "ended"])
  }

  @Test("one that can't be turned on again is named, and the switch is off all the same")
  func cannotRestore() {
    var cockpit = flying()
    cockpit.errors[wifi] = FlipError(.backendFailed, "its hardware switch is off")
    cockpit.flip(false)
    #expect(cockpit.takeJournal() == ["wifi on", "save off", "failed backendFailed"])
    #expect(
      cockpit.texts.last
        == "wifi can't be turned on: its hardware switch is off; the switch is off all the same")
    #expect(cockpit.airplane.reading == .off)
  }

  @Test("where nothing can be written nothing is turned off")
  func cannotSave() {
    var cockpit = Cockpit([wifi: .on])
    cockpit.saveError = FlipError(.backendFailed, "the disk is full")
    cockpit.flip(true)
    #expect(cockpit.takeJournal() == ["save on wifi", "failed backendFailed"])
    #expect(cockpit.radios[wifi] == .on)
    #expect(cockpit.airplane.reading == .off)
    cockpit.saveError = nil
    cockpit.flip(true)
    #expect(cockpit.takeJournal() == ["save on wifi", "wifi off", "ended"])
  }

  @Test("where its state was lost it is unknown until it is flipped")
  func lost() {
    let damage = Problem(.unrecognised, "it was damaged")
    for on in [true, false] {
      var cockpit = Cockpit([wifi: .on], record: .failure(damage))
      #expect(cockpit.airplane.reading == .unreadable(damage))
      cockpit.flip(on)
      #expect(cockpit.airplane.reading == Reading(on))
      #expect(cockpit.radios[wifi] == Reading(!on))
    }
  }
}
