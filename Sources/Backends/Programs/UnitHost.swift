// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import EventLoop
import Glibc
import Settings
import System

/// Runs programs as transient units of systemd's, so that they have what root has however little
/// the daemon has kept for itself; where there is no systemd on the bus, as the daemon's children.
///
/// A unit is collected once it has ended, and stopped when the daemon's own unit stops, whichever
/// way that comes about. What a daemon left behind that had no unit is stopped by the next one.
final class UnitHost: ProgramHost {
  private let link: BusLink
  private let loop: EventLoop
  private let children: ChildHost
  private var manager: UnitManager?
  private var presence = Presence.unknown
  private var isFollowing = false
  private var waiting: [() -> Void] = []
  private var units: [ObjectIdentifier: WeakUnit] = [:]
  /// Calls that systemd was not there for.
  private var untold: [CallQueue.Call] = []
  /// What tells this daemon's units from an earlier one's, and the last one's number.
  private let mark = String(UInt64.random(in: .min ... .max), radix: 16)
  private var lastNumber = 0

  private enum Presence {
    case unknown
    /// Not on the bus, and nothing says that it will be.
    case absent
    case present
    /// Not on the bus for a while, as during `systemctl daemon-reexec`.
    case away
  }

  private struct WeakUnit {
    weak var unit: ProgramUnit?
  }

  /// What the names of all units begin with.
  private static let prefix = "toggled-run-"
  /// Whether a service manager started this process: systemd.exec(5), SYSTEMD_EXEC_PID.
  private static let isService = Environment.value("SYSTEMD_EXEC_PID") == "\(getpid())"
  /// The unit that the daemon is the main process of: cgroups(7). systemd is not asked, because
  /// its version 252 crashes when one that it can't see the number of asks GetUnitByPID.
  private static let ownUnit: String? = {
    guard isService, let text = try? Files.read("/proc/self/cgroup", limit: 1 << 16) else {
      return nil
    }
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3, parts[1].isEmpty || parts[1] == "name=systemd",
        let name = parts[2].split(separator: "/").last, name.hasSuffix(".service")
      else { continue }
      return String(name)
    }
    return nil
  }()

  init(_ link: BusLink, on loop: EventLoop) {
    self.link = link
    self.loop = loop
    children = ChildHost(loop)
  }

  /// Calls `go`, at once or later, when it is known whether there is a systemd.
  func whenKnown(_ go: @escaping () -> Void) {
    guard presence == .unknown else { return go() }
    waiting.append(go)
    guard !isFollowing else { return }
    isFollowing = true
    link.follow(self) { [weak self] outcome in
      // Without its own bus the daemon leaves.
      if let self, case .success(let bus) = outcome { follow(bus.unitManager) }
    }
  }

  func start(
    _ program: ProgramRequest, output: consuming FileDescriptor, error: consuming FileDescriptor,
    ended: @escaping (Result<ExitStatus, Problem>) -> Void
  ) throws(Problem) -> any HostedProgram {
    guard let manager, presence == .present || presence == .away else {
      return try children.start(program, output: output, error: error, ended: ended)
    }
    let name = program.arguments[0]
    let path =
      name.utf8.contains(UInt8(ascii: "/"))
      ? name : Files.executable(name, in: ProgramRunner.searchPath)
    guard let path else { throw Problem(.noSuchFileOrDirectory, program: name) }
    let script: FileDescriptor
    do throws(Errno) {
      // A shell would run it as a script. Anything else may be due to the daemon's sandbox.
      if Errno(executing: path) == .notExecutableFormat { throw .notExecutableFormat }
      script = try .inMemory(
        "program", holding: Array(ProgramUnit.script(of: program, path: path).utf8))
    } catch {
      throw Problem(error, program: name)
    }
    let unit = ProgramUnit(
      program, path: path, called: unitName(program.purpose), boundTo: Self.ownUnit, script: script,
      output: output, error: error, host: self, manager: manager, loop: loop, ended: ended)
    units = units.filter { $0.value.unit != nil }
    units[ObjectIdentifier(unit)] = WeakUnit(unit: unit)
    // What is called may answer at once, and nobody is told before this has returned.
    loop.atEndOfTurn { [weak self, weak unit] in
      if self?.presence == .present { unit?.lookAgain() }
    }
    return unit
  }

  private func unitName(_ purpose: ProgramPurpose) -> String {
    lastNumber += 1
    // Parts of parts may have long names, and a unit's has 255 bytes.
    return "\(Self.prefix)\(purpose.row.prefix(160))-\(purpose.role.rawValue)-\(mark)-\(lastNumber)"
      + ".service"
  }

  // MARK: systemd

  /// Calls a method of systemd's, and again when it is back where it was away.
  func tell(_ member: MemberName, _ arguments: [Value]) {
    if let manager { tell(manager.call(member, arguments)) }
  }

  private func tell(_ call: CallQueue.Call) {
    manager?.calls.make(call) { [weak self] result in
      if case .failure(let error) = result, error.isOfAbsence { self?.untold.append(call) }
    }
  }

  private func follow(_ manager: UnitManager) {
    self.manager = manager
    manager.subscribe(self) { [weak self] event in
      guard let self else { return }
      switch event {
      case .present where presence == .unknown || presence == .absent:
        removeLeftovers(manager)
        become(.present)
      case .present:
        presence = .present
        let untold = untold
        self.untold = []
        for call in untold { tell(call) }
        for unit in units.values { unit.unit?.lookAgain() }
      case .absent where presence == .unknown && !Self.isService: become(.absent)
      case .absent where presence == .absent: break
      case .absent: become(.away)
      case .filesChanged: break
      }
    }
  }

  private func become(_ presence: Presence) {
    self.presence = presence
    let waiting = waiting
    self.waiting = []
    for go in waiting { go() }
  }

  /// Stops what an earlier daemon started, before anything of this one's is there.
  private func removeLeftovers(_ manager: UnitManager) {
    let call = manager.call(
      "ListUnitsByPatterns", [.strings([]), .strings(["\(Self.prefix)*.service"])])
    manager.calls.make(call) { [weak self] result in
      guard let answer = try? result.get().values().first, case .array(_, let units) = answer else {
        return
      }
      for unit in units {
        guard case .structure(let members) = unit, case .string(let name)? = members.first else {
          continue
        }
        self?.tell("StopUnit", [.string(name), .string("replace")])
      }
    }
  }
}

extension ObjectPath {
  /// The object of a unit of systemd's: what is no letter or digit is an underscore and its code.
  nonisolated init?(unit name: String) {
    var element = ""
    for (index, byte) in name.utf8.enumerated() {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9") where index > 0,
        UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
        element.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        element += byte < 16 ? "_0" : "_"
        element += String(byte, radix: 16)
      }
    }
    self.init("\(ObjectPath.systemd)/unit/\(element)")
  }
}

extension DBusError {
  /// Whether systemd was not there, or left without an answer, as it does to start anew.
  nonisolated var isOfAbsence: Bool {
    switch name {
    case .noReply, .serviceUnknown, .nameHasNoOwner: true
    default: false
    }
  }
}
