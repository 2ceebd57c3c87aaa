// SPDX-License-Identifier: MIT

import Backends
import Settings
import System
import TestSupport
import Testing

@testable import EventLoop

/// A loop, a directory, and what backends have said.
@MainActor
final class Stage {
  let loop: EventLoop
  let directory: TemporaryDirectory
  /// What a backend reported, the newest last.
  private(set) var reports: [Reading] = []
  /// What it wanted a person to know.
  private(set) var notices: [String] = []

  /// - Parameter parent: where the directory is made; nil for where such are made.
  init(in parent: String? = nil) throws {
    loop = try EventLoop()
    directory = try TemporaryDirectory(in: parent)
  }

  func start(_ backend: some Backend) {
    backend.start { [weak self] in self?.reports.append($0) }
  }

  var note: (String) -> Void {
    { [weak self] in self?.notices.append($0) }
  }

  /// Turns the loop until `condition` holds, or the test's patience ends.
  func turn(
    _ what: String = "a condition", on loop: EventLoop? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, until condition: () -> Bool
  ) throws {
    let loop = loop ?? self.loop
    let deadline = EventLoop.now + patience
    while !condition() {
      try #require(
        EventLoop.now < deadline, "waited in vain for \(what); reports: \(reports)",
        sourceLocation: sourceLocation)
      try loop.turn(atMost: deadline - EventLoop.now)
    }
  }

  /// Turns the loop until the newest report is this one.
  func awaitReport(
    _ reading: Reading, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try turn("\(reading)", sourceLocation: sourceLocation) { reports.last == reading }
  }

  /// Turns the loop until the newest report is a problem for this reason; its text.
  @discardableResult
  func awaitProblem(
    _ reason: Reason, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    try turn("\(reason)", sourceLocation: sourceLocation) {
      reports.last?.problem?.reason == reason
    }
    return reports.last?.problem?.text ?? ""
  }

  /// Whether the loop, once it has handled what is there and what comes meanwhile, has nothing to
  /// wake for.
  func isQuiet() throws -> Bool {
    let deadline = Deadline(after: patience)
    repeat {
      for _ in 0..<5 { try loop.turn(atMost: .zero) }
      if try !Deadline(after: .zero).waitForAny(of: [loop.epoll.raw]) { return true }
    } while !deadline.hasPassed
    return false
  }

  func forgetReports() { reports = [] }

  /// Turns the loop until there is a file of this name in the directory; its text. Who makes it
  /// writes it under another name first.
  ///
  /// - Parameter loop: another loop to turn, so that no time-out of the stage's ends meanwhile.
  @discardableResult
  func awaitFile(
    _ name: String, on loop: EventLoop? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let loop = loop ?? self.loop
    let watch = try loop.directory(directory.path) { _ in }
    defer { withExtendedLifetime(watch) {} }
    let path = directory.path(name)
    try turn("the file \(name)", on: loop, sourceLocation: sourceLocation) { Files.exists(path) }
    return text(of: name)
  }

  /// What a file of the directory holds; "" where there is none.
  func text(of name: String) -> String {
    String(decoding: (try? Files.read(directory.path(name), limit: 1 << 20)) ?? [], as: UTF8.self)
  }

  /// Turns the loop until there is a file of this name, and waits for the end of the process whose
  /// number it holds.
  func awaitEnd(ofProcessIn name: String) throws {
    let number = try awaitFile(name).split(separator: "\n").first.flatMap { Int32($0) }
    try Processes.waitForEnd(of: try #require(number))
  }

  /// What the backend answers when it is asked.
  func read(_ backend: some Backend) throws -> Reading {
    var answer: Reading?
    backend.read { answer = $0 }
    try turn("the answer of a read") { answer != nil }
    return try #require(answer)
  }

  /// How a write ends.
  func write(
    _ backend: some Backend, _ on: Bool
  ) throws -> Result<Void, FlipError> {
    var answer: Result<Void, FlipError>?
    backend.write(on, for: .nobody) { answer = $0 }
    try turn("the end of a write") { answer != nil }
    return try #require(answer)
  }
}

extension Result where Success == Void, Failure == FlipError {
  /// The failure's kind; nil for a success.
  var failureKind: FlipError.Kind? {
    if case .failure(let error) = self { error.kind } else { nil }
  }
}

extension Reading {
  /// What a table of expectations says of it.
  var summary: String {
    problem?.reason.rawValue ?? state.rawValue
  }
}
