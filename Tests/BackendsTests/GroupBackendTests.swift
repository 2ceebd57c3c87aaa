// SPDX-License-Identifier: MIT

import Backends
import Settings
import Testing

@MainActor
@Suite("a group")
struct GroupBackendTests {
  /// A row that flips when it is told to.
  @MainActor
  final class Member: GroupMember {
    let id: RowID
    var reading: Reading?
    var error: FlipError?
    var isHeld = false
    private(set) var flips: [Bool] = []
    private var held: [(Bool, (Result<Void, FlipError>) -> Void)] = []

    init(_ id: RowID, _ reading: Reading?) {
      self.id = id
      self.reading = reading
    }

    func flip(
      _ on: Bool, for origin: Origin, _ completion: @escaping (Result<Void, FlipError>) -> Void
    ) {
      if isHeld { return held.append((on, completion)) }
      if let error { return completion(.failure(error)) }
      if reading != Reading(on) { flips.append(on) }
      reading = Reading(on)
      completion(.success(()))
    }

    func release() {
      isHeld = false
      for (on, completion) in held { flip(on, for: .nobody, completion) }
      held = []
    }
  }

  private nonisolated static func problem(_ reason: Reason) -> Reading {
    .unreadable(Problem(reason, "so it is"))
  }

  private func group(
    _ readings: [Reading?], isExclusive: Bool = false, missing: Int = 0
  ) throws -> (GroupBackend, [Member]) {
    let members = try readings.enumerated().map { index, reading in
      Member(try #require(RowID("row\(index)")), reading)
    }
    let ids = try members.map(\.id) + (0..<missing).map { try #require(RowID("missing\($0)")) }
    let backend = GroupBackend(GroupBackendDefinition(rows: ids, isExclusive: isExclusive)) { id in
      members.first { $0.id == id }
    }
    return (backend, members)
  }

  private func read(_ backend: GroupBackend) throws -> Reading {
    var answer: Reading?
    backend.read { answer = $0 }
    return try #require(answer)
  }

  @Test(
    "is what its members are",
    arguments: [
      ([.on, .on], "on"), ([.off, .off], "off"), ([.on, .off], "mixed"), ([.mixed, .off], "mixed"),
      ([.mixed, problem(.timeout)], "mixed"), ([.on, .off, problem(.timeout)], "mixed"),
      // What is not there does not count; what is there and can't be read does.
      ([.on, problem(.noService)], "on"), ([.off, problem(.noDevice)], "off"),
      ([.on, problem(.notFound)], "on"), ([.on, problem(.timeout)], "timeout"),
      ([.off, problem(.noAccess)], "no-access"), ([.on, problem(.unrecognised)], "unrecognised"),
      ([problem(.noDevice), problem(.noService)], "no-device"), ([.on, nil], "failed"),
    ] as [([Reading?], String)])
  func reading(members: [Reading?], expected: String) throws {
    #expect(try read(group(members).0).summary == expected)
  }

  @Test("a member without a row is left out, and alone it is not found")
  func missing() throws {
    #expect(try read(group([.on], missing: 1).0) == .on)
    #expect(try read(group([], missing: 2).0).summary == "not-found")
  }

  @Test("names the member that can't be read")
  func names() throws {
    let text = try read(group([.on, Self.problem(.timeout)]).0).problem?.text
    #expect(text == "row1: so it is")
  }

  @Test("says nothing until each member has been read")
  func news() throws {
    let (backend, members) = try group([.on, nil])
    var reports: [Reading] = []
    backend.start { reports.append($0) }
    #expect(backend.news == nil)
    #expect(reports == [])
    members[1].reading = .on
    #expect(backend.news == .on)
  }

  @Test("a flip flips the members that are not so yet", arguments: [true, false])
  func flips(on: Bool) throws {
    let (backend, members) = try group([.on, .off, .mixed])
    var result: Result<Void, FlipError>?
    backend.write(on, for: .person) { result = $0 }
    #expect(result?.failureKind == nil && result != nil)
    #expect(members.map(\.flips) == [on ? [] : [on], on ? [on] : [], [on]])
    #expect(try read(backend) == Reading(on))
  }

  @Test("a member on its way elsewhere is flipped too")
  func busyMember() throws {
    // It is on and about to be turned off, which only the row itself knows.
    let (backend, members) = try group([.on, .off])
    members[0].isHeld = true
    members[0].flip(false, for: .nobody) { _ in }
    var result: Result<Void, FlipError>?
    backend.write(true, for: .nobody) { result = $0 }
    #expect(result == nil)
    members[0].release()
    #expect(result?.failureKind == nil && result != nil)
    #expect(members.map(\.reading) == [.on, .on])
  }

  @Test("in the middle of its own flip there is no news, and one report at the end")
  func noPassingThroughMixed() throws {
    let (backend, members) = try group([.off, .off])
    var reports: [Reading] = []
    backend.start { reports.append($0) }
    reports = []
    members[1].isHeld = true
    var result: Result<Void, FlipError>?
    backend.write(true, for: .nobody) { result = $0 }
    #expect(members[0].reading == .on)
    #expect(backend.news == nil)
    #expect(result == nil)
    members[1].release()
    #expect(reports == [.on])
    #expect(result?.failureKind == nil && result != nil)
    #expect(backend.news == .on)
  }

  @Test("every member is tried, and the first failure is the answer")
  func failures() throws {
    let (backend, members) = try group([.off, .off, .off])
    members[0].error = FlipError(.locked, "row0 is locked")
    members[2].error = FlipError(.timedOut, "row2 took too long")
    var result: Result<Void, FlipError>?
    backend.write(true, for: .nobody) { result = $0 }
    #expect(members[1].reading == .on)
    #expect(result?.failureKind == .locked)
    if case .failure(let error)? = result {
      #expect(error.message == "row0 is locked (and 1 more)")
    }
    #expect(try read(backend) == .mixed)
  }

  @Test("a member with nothing behind it may fail")
  func absentMember() throws {
    let (backend, members) = try group([.off, Self.problem(.noDevice)])
    members[1].error = FlipError(.unavailable, "no device")
    var result: Result<Void, FlipError>?
    backend.write(true, for: .nobody) { result = $0 }
    #expect(result?.failureKind == nil && result != nil)
    #expect(try read(backend) == .on)
  }

  @Test("an exclusive one can be turned off, and not on")
  func exclusive() throws {
    let (backend, members) = try group([.on, .off], isExclusive: true)
    var result: Result<Void, FlipError>?
    backend.write(true, for: .nobody) { result = $0 }
    #expect(result?.failureKind == .notSupported)
    backend.write(false, for: .nobody) { result = $0 }
    #expect(result?.failureKind == nil)
    #expect(members.map(\.reading) == [.off, .off])
  }
}
