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

  private let definition: PartDefinition
  private let make: () -> any Backend
  private let isInverted: Bool
  /// The backend, while the part is started.
  private var backend: (any Backend)?
  private var questions = 0

  /// - Parameter make: makes the definition's backend, each time that the part is started.
  package init(_ definition: PartDefinition, _ make: @escaping () -> any Backend) {
    name = definition.name
    self.definition = definition
    self.make = make
    isInverted = definition.backend.isInverted
    if case .command = definition.backend.kind { isRepeatable = false } else { isRepeatable = true }
  }

  var isStarted: Bool { backend != nil }

  /// Whether someone waits for the answer to a read or a write.
  var isAsked: Bool { questions > 0 }

  /// The polkit action that a flip by it takes; `rowAction` where its own group names none.
  func polkitAction(rowAction: String) -> String { definition.polkitAction(rowAction: rowAction) }

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
    let backend = make()
    self.backend = backend
    backend.start { [weak self] reading in
      self?.take(reading)
      changed()
    }
  }

  /// Asks again; the answer is in `reading` by the time that `completion` runs. Only while started.
  func read(_ completion: @escaping () -> Void) {
    questions += 1
    backend?.read { [weak self] reading in
      self?.questions -= 1
      self?.take(reading)
      completion()
    }
  }

  /// Only while started.
  func write(
    _ on: Bool, for origin: Origin, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    questions += 1
    backend?.write(on != isInverted, for: origin) { [weak self] result in
      self?.questions -= 1
      completion(result)
    }
  }

  /// Ends it: nothing is known of it any more, and nobody who waits is answered.
  func stop() {
    backend?.stop()
    (backend, reading, questions) = (nil, nil, 0)
  }

  private func take(_ reading: Reading) {
    self.reading = isInverted ? reading.inverted : reading
  }
}
