// SPDX-License-Identifier: MIT

package import Settings

/// One of the backends that another one is made of, with what it last said.
package final class Part {
  /// What the row file calls it.
  let name: String
  /// What the backend last said; nil before it was first read.
  private(set) var reading: Reading?
  /// Whether a flip that failed may be tried again by itself. Who runs a program may not: there is
  /// no telling what it has done.
  let isRepeatable: Bool

  private let backend: any Backend
  private let isInverted: Bool

  /// - Parameter backend: made after the definition's.
  package init(_ definition: PartDefinition, _ backend: any Backend) {
    name = definition.name
    self.backend = backend
    isInverted = definition.backend.isInverted
    if case .command = definition.backend.kind { isRepeatable = false } else { isRepeatable = true }
  }

  /// Whether there is nothing there, as against something that can't be read.
  var isAbsent: Bool {
    reading?.state == .unknown && reading?.problem?.isAbsence == true
  }

  /// What is wrong, with the part's name.
  var problem: Problem? {
    reading?.problem.map { Problem($0.reason, "\(name): \($0.text)") }
  }

  /// Begins to watch. `changed` is called when there is a reading.
  func start(_ changed: @escaping () -> Void) {
    backend.start { [weak self] reading in
      self?.take(reading)
      changed()
    }
  }

  /// Asks again; the answer is in `reading` by the time that `completion` runs.
  func read(_ completion: @escaping () -> Void) {
    backend.read { [weak self] reading in
      self?.take(reading)
      completion()
    }
  }

  func write(
    _ on: Bool, interactive: Bool, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    backend.write(on != isInverted, interactive: interactive, completion)
  }

  func stop() {
    backend.stop()
  }

  private func take(_ reading: Reading) {
    self.reading = isInverted ? reading.inverted : reading
  }
}
