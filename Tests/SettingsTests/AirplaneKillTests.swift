// SPDX-License-Identifier: MIT

import Settings
import Testing

@Suite("An airplane switch whose daemon ends in a flip")
struct AirplaneKillTests {
  private let wifi = Cockpit.wifi
  private let bluetooth = Cockpit.bluetooth
  private let mobile = Cockpit.mobile

  /// A switch that was being turned on, and had come to Wi-Fi alone.
  private func halfway() -> Cockpit {
    var cockpit = Cockpit([wifi: .on, bluetooth: .on, mobile: .off])
    cockpit.silent = [bluetooth]
    cockpit.flip(true)
    #expect(cockpit.takeJournal() == ["save on bluetooth wifi", "wifi off", "bluetooth off"])
    return cockpit
  }

  @Test("turns off what the daemon before did not come to, and shows no less")
  func finished() {
    var cockpit = halfway().restarted()
    #expect(cockpit.airplane.reading == .on)
    #expect(cockpit.takeJournal() == ["bluetooth off"])
    #expect(cockpit.radios == [wifi: .off, bluetooth: .off, mobile: .off])
    #expect(cockpit.disk?.isUnfinished == false)
    cockpit.flip(false)
    #expect(cockpit.radios == [wifi: .on, bluetooth: .on, mobile: .off])
  }

  @Test("does so once: what is turned on later, while no daemon runs, is somebody's wish")
  func once() {
    let finished = halfway().restarted()
    var cockpit = finished.restarted([bluetooth: .on])
    #expect(cockpit.takeJournal() == ["save on wifi"])
    #expect(cockpit.radios[bluetooth] == .on)
  }

  @Test("goes on with it after any number of ends")
  func again() {
    var cockpit = halfway()
    for _ in 0..<3 {
      cockpit = cockpit.restarted([bluetooth: .unreadable(Problem(.failed, "not ready"))])
      #expect(cockpit.disk?.isUnfinished == true)
    }
    cockpit.read(bluetooth, .on)
    #expect(cockpit.radios[bluetooth] == .off)
    #expect(cockpit.disk?.isUnfinished == false)
  }

  @Test("waits for none that is gone, and turns it off when it is back")
  func gone() {
    var cockpit = halfway().restarted([bluetooth: .unreadable(Cockpit.gone)])
    #expect(cockpit.disk?.isUnfinished == false)
    cockpit.read(bluetooth, .on)
    #expect(cockpit.radios[bluetooth] == .off)
  }

  @Test("owes nothing to one that refuses")
  func refused() {
    var cockpit = halfway()
    cockpit = Cockpit(
      cockpit.radios, record: .success(cockpit.disk), boot: "1",
      errors: [bluetooth: FlipError(.backendFailed, "no")])
    #expect(cockpit.radios[bluetooth] == .on)
    #expect(cockpit.disk == AirplaneRecord(isOn: true, blocked: [wifi], boot: "1"))
    #expect(cockpit.texts == ["bluetooth came back and can't be turned off: no"])
  }

  @Test("is done with by a flip of its own")
  func flipped() {
    var cockpit = halfway().restarted([bluetooth: .unreadable(Problem(.failed, "not ready"))])
    cockpit.flip(false)
    cockpit.read(bluetooth, .on)
    #expect(cockpit.radios[bluetooth] == .on)
    #expect(cockpit.disk?.isOn == false)
  }

  @Test("that ends while it is turned off is on, and a second flip brings back the rest")
  func turningOff() {
    var cockpit = Cockpit([wifi: .on, bluetooth: .on, mobile: .off])
    cockpit.flip(true)
    cockpit.silent = [bluetooth]
    cockpit.flip(false)
    #expect(cockpit.radios == [wifi: .on, bluetooth: .off, mobile: .off])
    var next = cockpit.restarted()
    #expect(next.airplane.reading == .on)
    #expect(next.radios == [wifi: .on, bluetooth: .off, mobile: .off])
    next.flip(false)
    #expect(next.radios == [wifi: .on, bluetooth: .on, mobile: .off])
  }
}
