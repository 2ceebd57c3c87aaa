// SPDX-License-Identifier: MIT

import Backends
import Settings
import Testing

/// A backend that does what its test says, for those that are made of others.
@MainActor
final class ScriptedBackend: Backend {
  /// What it is; `become` also reports it.
  var reading: Reading
  /// What becomes of a write; nil does as it is told.
  var onWrite: ((Bool) -> Result<Void, FlipError>)?
  /// Whether a write that succeeds is to be seen at once.
  var obeys = true
  private(set) var writes: [Bool] = []
  private(set) var origins: [Origin] = []
  private(set) var reads = 0
  private(set) var isStopped = false
  private(set) var starts = 0
  private var report: ((Reading) -> Void)?

  init(_ reading: Reading) {
    self.reading = reading
  }

  func become(_ reading: Reading) {
    self.reading = reading
    report?(reading)
  }

  func start(_ report: @escaping (Reading) -> Void) {
    self.report = report
    isStopped = false
    starts += 1
    report(reading)
  }

  func read(_ completion: @escaping (Reading) -> Void) {
    reads += 1
    completion(reading)
  }

  func write(
    _ on: Bool, for origin: Origin, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    writes.append(on)
    origins.append(origin)
    let result = onWrite?(on) ?? .success(())
    if case .success = result, obeys { reading = Reading(on) }
    completion(result)
  }

  func stop() {
    isStopped = true
    report = nil
  }

  /// This as the part of that name.
  func part(
    _ name: String, isInverted: Bool = false, isProgram: Bool = false, action: String? = nil
  ) -> Part {
    let kind: BackendDefinition.Kind =
      isProgram ? .command(CommandBackendDefinition()) : .file(FileBackendDefinition(path: "/"))
    return Part(
      PartDefinition(
        name, BackendDefinition(kind, isInverted: isInverted, polkitAction: action))
    ) { self }
  }
}

extension Reading {
  /// There is nothing there, for this reason.
  static func absent(_ reason: Reason, _ text: String = "it is not there") -> Reading {
    .unreadable(Problem(reason, text))
  }
}
