// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import Settings
import System
import TestSupport
import Testing

@testable import Backends

@MainActor
@Suite(
  "A row of radios", .serialized,
  .needsRadios)
struct RfkillBackendTests {
  private let stage: Stage
  private let radios: RadioDevice
  /// A link to the stand-in, for a device that is missing.
  private let path: String

  init() throws {
    stage = try Stage()
    radios = try RadioDevice()
    path = stage.directory.path("rfkill")
  }

  private func plugIn() {
    #expect(symlink(radios.path, path) == 0)
  }

  private func backend(
    _ wanted: RadioClass = .wlan, on device: RfkillDevice? = nil, timeout: Duration = patience
  ) -> RfkillBackend {
    // However slow this machine is, what is given a while here is given it.
    RfkillBackend(
      RfkillBackendDefinition(radios: wanted), timeout: timeout, mirrorTime: patience,
      device: device ?? RfkillDevice(radios.path, loop: stage.loop, freshTime: patience),
      loop: stage.loop)
  }

  // MARK: Reading

  @Test("is there without hardware, and also when its adapter was blocked at the start")
  func withoutHardware() throws {
    let backend = backend()
    stage.start(backend)
    #expect(try stage.awaitProblem(.noDevice) == "there is no Wi-Fi radio")
    try radios.add(.wlan, isSoftBlocked: true)
    try stage.awaitReport(.off)
    try radios.rfkill("unblock", "wlan")
    try stage.awaitReport(.on)
  }

  @Test("follows what the rfkill program does, for the adapters of its class and for all")
  func followsProgram() throws {
    let (wifi, bluetooth) = (try radios.add(.wlan), try radios.add(.bluetooth))
    let device = RfkillDevice(radios.path, loop: stage.loop)
    var all: Reading?
    let everything = backend(.all, on: device)
    everything.start { all = $0 }
    let backend = backend(on: device)
    stage.start(backend)
    try stage.awaitReport(.on)
    try radios.rfkill("block", "wlan")
    try stage.awaitReport(.off)
    #expect(all == .mixed)
    #expect(try radios.blocks() == [wifi: "blocked unblocked", bluetooth: "unblocked unblocked"])
    try radios.rfkill("toggle", "wlan")
    try stage.awaitReport(.on)
    #expect(all == .on)
  }

  @Test("two adapters are mixed until both are on, under whatever index they come back")
  func severalAdapters() throws {
    let first = try radios.add(.wlan)
    let second = try radios.add(.wlan, isSoftBlocked: true)
    let backend = backend()
    stage.start(backend)
    try stage.awaitReport(.mixed)
    // As after a resume, with other numbers.
    try radios.remove(first)
    try stage.awaitReport(.off)
    try radios.remove(second)
    try stage.awaitProblem(.noDevice)
    try radios.add(.wlan, isSoftBlocked: false)
    try stage.awaitReport(.on)
    #expect(try radios.add(.wlan, isSoftBlocked: true) == 3)
    try stage.awaitReport(.mixed)
    #expect(try stage.read(backend) == .mixed)
  }

  @Test("an adapter that its hardware switch removes is no device, and not off")
  func hardSwitchRemoves() throws {
    let index = try radios.add(.bluetooth)
    let backend = backend(.bluetooth)
    stage.start(backend)
    try stage.awaitReport(.on)
    stage.forgetReports()
    try radios.remove(index)
    try stage.awaitProblem(.noDevice)
    #expect(stage.reports.allSatisfy { $0.state == .unknown })
  }

  @Test("records of any size mean the same", arguments: [8, 9, 32])
  func sizes(_ size: Int) throws {
    try radios.tell("size \(size)")
    let index = try radios.add(.wlan)
    let backend = backend()
    stage.start(backend)
    try stage.awaitReport(.on)
    try radios.hard(index, .notOwner)
    let text = try stage.awaitProblem(.hardBlocked)
    #expect(text.contains("something else owns it") == (size > 8))
  }

  @Test("more radios than are taken in one go are all there before anything is told")
  func many() throws {
    for _ in 0..<64 { try radios.add(.wlan, isSoftBlocked: false) }
    let backend = backend()
    stage.start(backend)
    try stage.awaitReport(.on)
    #expect(stage.reports == [.on])
  }

  // MARK: Flipping

  @Test("is flipped both ways, for all its adapters, and the rfkill program agrees")
  func flips() throws {
    let (first, second) = (try radios.add(.wlan), try radios.add(.wlan, isSoftBlocked: true))
    let bluetooth = try radios.add(.bluetooth)
    let backend = backend()
    stage.start(backend)
    try stage.awaitReport(.mixed)
    try stage.write(backend, true).get()
    #expect(stage.reports.last == .on)
    try stage.write(backend, false).get()
    #expect(stage.reports.last == .off)
    #expect(
      try radios.blocks() == [
        first: "blocked unblocked", second: "blocked unblocked", bluetooth: "unblocked unblocked",
      ])
    // As the kernel has it, the wish holds for an adapter that is plugged in later.
    try radios.add(.wlan)
    #expect(try stage.read(backend) == .off)
  }

  @Test("hard blocked, it is tried all the same, and the answer names the hardware's switch")
  func hardBlocked() throws {
    let index = try radios.add(.wlan, isSoftBlocked: true, hard: .signal)
    let backend = backend()
    stage.start(backend)
    let text = try stage.awaitProblem(.hardBlocked)
    #expect(stage.reports.last?.state == .off)
    let result = try stage.write(backend, true)
    #expect(result.failureKind == .backendFailed)
    #expect(throws: FlipError(.backendFailed, text)) { try result.get() }
    // What could be done was done.
    #expect(try radios.blocks() == [index: "unblocked blocked"])
    try radios.hard(index, .none)
    try stage.awaitReport(.on)
  }

  @Test("a hardware block that mirrors the platform's switch goes with that, and the flip succeeds")
  func mirroredBlock() throws {
    let platform = try radios.add(.wlan, isSoftBlocked: true)
    let adapter = try radios.add(.wlan, isSoftBlocked: false, hard: .signal)
    let backend = backend()
    stage.start(backend)
    try stage.awaitProblem(.hardBlocked)
    var result: Result<Void, FlipError>?
    backend.write(true, for: .nobody) { result = $0 }
    try stage.turn("the platform's switch") { stage.reports.last?.state == .mixed }
    #expect(try radios.blocks()[platform] == "unblocked unblocked")
    #expect(result == nil)
    try radios.hard(adapter, .none)
    try stage.turn("the end of the flip") { result != nil }
    try result?.get()
    #expect(stage.reports.last == .on)
  }

  @Test("an adapter that appears blocked by its platform's switch is unblocked too, once")
  func appearsBlocked() throws {
    let platform = try radios.add(.bluetooth, isSoftBlocked: true)
    let backend = backend(.bluetooth)
    stage.start(backend)
    try stage.awaitReport(.off)
    try stage.write(backend, true).get()
    let adapter = try radios.add(.bluetooth, isSoftBlocked: true)
    let unblocked = [platform: "unblocked unblocked", adapter: "unblocked unblocked"]
    try stage.turn("the adapter") { (try? radios.blocks()) == unblocked }
    #expect(try stage.read(backend) == .on)
    // The next one that comes blocked is somebody's will.
    try radios.add(.bluetooth, isSoftBlocked: true)
    try stage.awaitReport(.mixed)
    #expect(try stage.read(backend) == .mixed)
    #expect(try radios.tell("writes") == "2")
  }

  @Test("what somebody blocked after the flip stays blocked")
  func blockedByOthers() throws {
    try radios.add(.bluetooth, isSoftBlocked: true)
    let backend = backend(.bluetooth)
    stage.start(backend)
    try stage.awaitReport(.off)
    try stage.write(backend, true).get()
    try radios.rfkill("block", "bluetooth")
    try stage.awaitReport(.off)
    try radios.add(.bluetooth, isSoftBlocked: true)
    #expect(try stage.isQuiet())
    #expect(try stage.read(backend) == .off)
    // Ours and the program's.
    #expect(try radios.tell("writes") == "2")
  }

  @Test("without an adapter a flip is tried and fails, and holds for one that comes")
  func flipsNothing() throws {
    let backend = backend(.nfc)
    stage.start(backend)
    try stage.awaitProblem(.noDevice)
    #expect(throws: FlipError(.unavailable, "there is no NFC radio")) {
      try stage.write(backend, false).get()
    }
    try radios.add(.nfc)
    try stage.awaitReport(.off)
  }

  @Test("the kernel's refusal is the answer")
  func refusedWrite() throws {
    try radios.add(.wlan)
    let backend = backend()
    stage.start(backend)
    try stage.awaitReport(.on)
    try radios.tell("failing \(EIO)")
    #expect(
      throws: FlipError(.backendFailed, "can't write \(radios.path): Input/output error")
    ) { try stage.write(backend, false).get() }
    #expect(try stage.read(backend) == .on)
  }

  @Test("a write that a driver holds up blocks nobody: changes are told, and of wishes the newest")
  func heldWrite() throws {
    let index = try radios.add(.wlan)
    try radios.add(.bluetooth)
    let device = RfkillDevice(radios.path, loop: stage.loop)
    let backend = backend(on: device, timeout: .milliseconds(50))
    stage.start(backend)
    try stage.awaitReport(.on)
    try radios.tell("hold")
    #expect(try stage.write(backend, false).failureKind == .timedOut)
    // Meanwhile the world goes on.
    try radios.hard(index, .signal)
    try stage.awaitProblem(.hardBlocked)
    try radios.hard(index, .none)
    try stage.awaitReport(.on)
    var ends: [String] = []
    for (name, on) in [("first", true), ("second", false), ("third", true)] {
      device.write(.wlan, on) { result in
        ends.append("\(name): \(result.failureKind.map { "\($0)" } ?? "success")")
      }
    }
    device.write(.bluetooth, false) { _ in ends.append("bluetooth") }
    #expect(ends == ["first: superseded", "second: superseded"])
    try radios.tell("release")
    try stage.turn("the writes") { ends.count == 4 }
    #expect(ends.suffix(2) == ["third: success", "bluetooth"])
    #expect(try stage.read(backend) == .on)
    #expect(try radios.tell("writes") == "3")
  }

  // MARK: The device

  @Test("a driver that holds up another program's write holds up nobody here")
  func heldOpening() throws {
    try radios.add(.wlan)
    try radios.tell("hold")
    let program = try radios.startRfkill("block", "wlan")
    // Nothing ends the program before that, should an expectation fail.
    defer { _ = try? radios.tell("release") }
    let deadline = Deadline(after: patience)
    while try radios.tell("writes") == "0" { try #require(!deadline.hasPassed) }
    let device = RfkillDevice(radios.path, loop: stage.loop, openTime: .milliseconds(50))
    let backend = backend(on: device)
    stage.start(backend)
    var answers: [Reading] = []
    backend.read { answers.append($0) }
    #expect(
      try stage.awaitProblem(.timeout)
        == "opening \(radios.path) takes too long: a driver holds it up")
    // Who asks is not kept waiting.
    #expect(answers == stage.reports)
    #expect(try stage.read(backend) == answers.last)
    // Nor is who comes when those whom it was begun for have left.
    backend.stop()
    let next = self.backend(on: device)
    stage.start(next)
    #expect(try stage.read(next) == answers.last)
    try radios.tell("release")
    try stage.awaitReport(.off)
    #expect(try program.waitForExit() == .exited(0))
  }

  @Test("a device that is missing is no device, and is noticed when it appears")
  func appears() throws {
    try radios.add(.wlan)
    let backend = backend(on: RfkillDevice(path, loop: stage.loop))
    stage.start(backend)
    #expect(
      try stage.awaitProblem(.noDevice)
        == "there is no \(path): no radio here can be switched by the kernel")
    #expect(try stage.write(backend, true).failureKind == .unavailable)
    plugIn()
    try stage.awaitReport(.on)
  }

  @Test("a device that may not be opened says so, and is noticed when it may")
  func forbidden() throws {
    try radios.add(.wlan)
    try radios.tell("refusing \(EACCES)")
    let backend = backend()
    stage.start(backend)
    #expect(
      try stage.awaitProblem(.noAccess)
        == "can't open \(radios.path): Permission denied; the user that runs toggled must be "
        + "allowed to")
    #expect(try stage.write(backend, true).failureKind == .backendFailed)
    try radios.tell("refusing 0")
    // As udev does it when somebody takes the seat.
    #expect(chmod(radios.path, 0o660) == 0)
    try stage.awaitReport(.on)
  }

  @Test("a device that can't be opened for another reason is tried again")
  func triedAgain() throws {
    try radios.add(.wlan)
    try radios.tell("refusing \(EMFILE)")
    let backend = backend()
    stage.start(backend)
    try stage.awaitProblem(.failed)
    try radios.tell("refusing 0")
    try stage.awaitReport(.on)
  }

  @Test(
    "garbage, an end and an error cost a moment, and then all is there again",
    arguments: ["raw 010203", "raw "])
  func reopens(_ command: String) throws {
    let index = try radios.add(.wlan)
    let backend = backend()
    stage.start(backend)
    try stage.awaitReport(.on)
    try radios.tell(command)
    let text = try stage.awaitProblem(.failed)
    #expect(text.hasPrefix("can't read \(radios.path): it "))
    try radios.soft(index, true)
    try stage.awaitReport(.off)
    // Of the earlier opening nothing is left, neither to hold nor to be woken by.
    #expect(try radios.openings() == 1)
    #expect(try stage.isQuiet())
  }

  @Test("a file that is no such device is told of, not tried for ever, and never written to")
  func notTheDevice() throws {
    let path = try stage.directory.write("kept as it is", to: "plain")
    let backend = backend(on: RfkillDevice(path, loop: stage.loop))
    stage.start(backend)
    #expect(try stage.awaitProblem(.failed) == "\(path) is not the kernel's switch for radios")
    #expect(try stage.write(backend, true).failureKind == .backendFailed)
    #expect(stage.text(of: "plain") == "kept as it is")
    try Files.remove(path)
    #expect(symlink(radios.path, path) == 0)
    try stage.awaitProblem(.noDevice)
  }

  @Test("after the last row nothing is open, and the next one opens anew")
  func lifetime() throws {
    try radios.add(.wlan)
    let device = RfkillDevice(radios.path, loop: stage.loop)
    let first = backend(on: device)
    stage.start(first)
    try stage.awaitReport(.on)
    #expect(try radios.openings() == 1)
    first.stop()
    stage.forgetReports()
    #expect(try radios.openings() == 0)
    try radios.rfkill("block", "wlan")
    #expect(try stage.isQuiet())
    let second = backend(on: device)
    stage.start(second)
    try stage.awaitReport(.off)
    #expect(stage.reports == [.off])
    // One that is stopped before it is open is told nothing.
    second.stop()
    let third = backend(on: device)
    third.start { _ in Issue.record("told after its stop") }
    third.stop()
    stage.start(second)
    try stage.awaitReport(.off)
  }
}
