// SPDX-License-Identifier: MIT

import Backends
import EventLoop
import Glibc
import Settings
import TestSupport
import Testing

@MainActor
@Suite("a first of several that prefers one that is on")
struct PreferOnTests {
  private let stage: Stage
  private let firewalld = ScriptedBackend(.off)
  private let ufw = ScriptedBackend(.on)
  private let backend: FirstBackend

  init() throws {
    stage = try Stage()
    backend = FirstBackend(
      [firewalld.part("firewalld", action: "org.example.units"), ufw.part("ufw")],
      prefersOn: true, timeout: patience)
  }

  nonisolated private static let masked = Problem(.noAccess, "it is masked")

  /// Who is written to.
  private func writes() -> [[Bool]] { [firewalld.writes, ufw.writes] }

  @Test("the one that is on serves, and goes on to when it is turned off")
  func restores() throws {
    stage.start(backend)
    #expect(stage.reports == [.on])
    for on in [false, true] {
      #expect(try stage.write(backend, on).failureKind == nil)
      #expect(try stage.read(backend) == Reading(on))
    }
    #expect(writes() == [[], [false, true]])
  }

  @Test(
    "one that is neither on nor gone is no reason for another than was on",
    arguments: [
      Reading.mixed, .off.with(masked), .absent(.notFound), .unreadable(masked),
    ])
  func beside(_ reading: Reading) throws {
    firewalld.reading = reading
    stage.start(backend)
    #expect(stage.reports == [.on])
    ufw.become(.off)
    #expect(stage.reports == [.on, .off])
    #expect(try stage.write(backend, true).failureKind == nil)
    #expect(writes() == [[], [true]])
  }

  @Test("another serves when it gets on")
  func moves() throws {
    stage.start(backend)
    ufw.become(.off)
    firewalld.become(.on)
    #expect(stage.reports == [.on, .off, .on])
    #expect(try stage.write(backend, false).failureKind == nil)
    #expect(try stage.write(backend, true).failureKind == nil)
    #expect(writes() == [[false, true], []])
  }

  @Test("the one that was on and is gone no longer serves")
  func gone() throws {
    stage.start(backend)
    ufw.become(.absent(.notFound))
    #expect(stage.reports.last == .off)
    firewalld.become(.absent(.noService, "it is away"))
    #expect(
      stage.reports.last
        == .unreadable(Problem(.noService, "firewalld: it is away; ufw: it is not there")))
  }

  @Test("where none was on the first serves that has no problem, or else the first")
  func noneOn() throws {
    ufw.reading = .off
    firewalld.reading = .off.with(Self.masked)
    stage.start(backend)
    #expect(try stage.write(backend, true).failureKind == nil)
    #expect(writes() == [[], [true]])
    let other = FirstBackend([firewalld.part("firewalld")], prefersOn: true, timeout: patience)
    stage.start(other)
    #expect(
      stage.reports.last == .off.with(Problem(.noAccess, "firewalld: it is masked")))
  }

  @Test("where none was on and one can't be read, neither can the row, and nothing is turned on")
  func unreadable() throws {
    ufw.reading = .unreadable(Problem(.failed, "it is broken"))
    stage.start(backend)
    #expect(stage.reports == [.unreadable(Problem(.failed, "ufw: it is broken"))])
    guard case .failure(let error) = try stage.write(backend, true) else {
      Issue.record("it did not fail")
      return
    }
    #expect(error == FlipError(.backendFailed, "ufw: it is broken"))
    #expect(writes() == [[], []])
    ufw.become(.off)
    #expect(stage.reports.last == .off)
    #expect(try stage.write(backend, true).failureKind == nil)
    #expect(writes() == [[true], []])
  }

  @Test("one that is on in part serves where none was on, and off turns it off, too")
  func mixed() throws {
    ufw.reading = .mixed
    stage.start(backend)
    #expect(stage.reports == [.mixed])
    #expect(try stage.write(backend, false).failureKind == nil)
    firewalld.become(.on)
    ufw.become(.mixed)
    #expect(try stage.write(backend, false).failureKind == nil)
    #expect(writes() == [[false], [false, false]])
  }

  @Test("a flip whose time ran out while it was found out who is on turns nothing")
  func late() throws {
    let (slow, timeout) = (SilentBackend(), Duration.milliseconds(20))
    let backend = FirstBackend(
      [firewalld.part("firewalld"), slow.part], prefersOn: true, timeout: timeout)
    stage.start(backend)
    let start = EventLoop.now
    var result: Result<Void, FlipError>?
    backend.write(true, for: .nobody) { result = $0 }
    while EventLoop.now <= start + timeout { sched_yield() }
    slow.read?(.off)
    #expect(result?.failureKind == .timedOut)
    #expect(firewalld.writes == [])
    #expect(slow.write == nil)
  }

  @Test("a flip before all have been read waits for who is on, and takes the action of each")
  func early() throws {
    let slow = SilentBackend()
    let backend = FirstBackend(
      [firewalld.part("firewalld", action: "org.example.units"), slow.part], prefersOn: true,
      timeout: patience)
    stage.start(backend)
    #expect(stage.reports == [])
    #expect(
      backend.polkitActions(rowAction: "org.example.row")
        == ["org.example.units", "org.example.row"])
    backend.write(true, for: .nobody) { _ in }
    slow.read?(.on)
    #expect(firewalld.writes == [])
  }

  @Test("off turns off all that are on, the one that serves last, and on turns on that one alone")
  func all() throws {
    firewalld.reading = .on
    stage.start(backend)
    firewalld.onWrite = { [ufw] _ in
      #expect(ufw.reading == .off)
      return .success(())
    }
    let actions = backend.polkitActions(rowAction: "org.example.row")
    #expect(actions == ["org.example.units", "org.example.row"])
    #expect(try stage.write(backend, false).failureKind == nil)
    #expect(try stage.read(backend) == .off)
    firewalld.onWrite = nil
    #expect(backend.polkitActions(rowAction: "org.example.row") == ["org.example.units"])
    #expect(try stage.write(backend, true).failureKind == nil)
    #expect(writes() == [[false, true], [false]])
  }

  @Test("one that fails to be turned off ends the flip, and the row is still on")
  func failing() throws {
    firewalld.reading = .on
    stage.start(backend)
    ufw.onWrite = { _ in .failure(FlipError(.backendFailed, "no")) }
    guard case .failure(let error) = try stage.write(backend, false) else {
      Issue.record("it did not fail")
      return
    }
    #expect(error == FlipError(.backendFailed, "ufw: no"))
    #expect(try stage.read(backend) == .on)
    #expect(firewalld.writes == [])
  }
}
