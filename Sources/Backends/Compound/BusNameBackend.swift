// SPDX-License-Identifier: MIT

import DBus
package import DBusTypes
package import Settings

/// A backend that is there while one of some bus names has an owner.
///
/// A setting outlives the program that heeds it, and to switch it then does nothing. So the backend
/// behind this one is made as the first of the names gets an owner and ended as the last loses it:
/// without one no program of its own runs. Nothing is ever started by asking.
///
/// Only what has no members, needs no word of a sleep and takes the actions that its definition
/// names stands behind it (`hasBusNames` of its type), so what the protocol says by itself of these
/// is right for it.
package final class BusNameBackend: Backend {
  private enum Presence {
    case unknown
    case absent(Problem)
    case present(any Backend)
  }

  /// Somebody who waits for an answer.
  private struct Question {
    let put: (any Backend) -> Void
    let refuse: (Problem) -> Void
  }

  private let names: [BusName]
  private let link: BusLink
  private let make: () -> any Backend
  private var report: ((Reading) -> Void)?
  private var watches: [NameWatch] = []
  private var presence = Presence.unknown
  private var questions: [Int: Question] = [:]
  private var lastQuestion = 0

  /// - Parameters:
  ///   - names: of which one has to have an owner; never empty.
  ///   - link: the way to their bus.
  ///   - make: makes the backend that is behind, each time that it is there.
  package init(_ names: [BusName], link: BusLink, _ make: @escaping () -> any Backend) {
    self.names = names
    self.link = link
    self.make = make
  }

  package func start(_ report: @escaping (Reading) -> Void) {
    self.report = report
    link.follow(self) { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .success(let bus):
        watches = names.map { name in
          bus.calls.connection.watchName(name) { [weak self] _ in self?.ownerChanged() }
        }
      case .failure(let problem):
        watches = []
        leave(problem)
      }
    }
  }

  package func stop() {
    link.unfollow(self)
    if case .present(let backend) = presence { backend.stop() }
    (report, watches, presence, questions) = (nil, [], .unknown, [:])
  }

  // MARK: Who is there

  private func ownerChanged() {
    if watches.contains(where: { $0.owner != nil }) {
      if case .present(let backend) = presence {
        // Another owner may have made another of it.
        read(backend)
      } else {
        come()
      }
    } else if watches.allSatisfy(\.isKnown) {
      leave(absence)
    }
  }

  private func come() {
    let backend = make()
    presence = .present(backend)
    backend.start { [weak self] in self?.report?($0) }
    for (_, question) in questions.sorted(by: { $0.key < $1.key }) { question.put(backend) }
  }

  private func leave(_ problem: Problem) {
    if case .absent(problem) = presence { return }
    if case .present(let backend) = presence { backend.stop() }
    presence = .absent(problem)
    report?(.unreadable(problem))
    // It has been stopped, and answers nobody any more.
    let refused = questions.sorted { $0.key < $1.key }
    questions = [:]
    for (_, question) in refused { question.refuse(problem) }
  }

  private var absence: Problem {
    let start = names.count == 1 ? "start it" : "start one of them"
    return Problem(
      Missing(.services, names.map(\.rawValue)), advice: "\(start), or the row switches nothing")
  }

  // MARK: Asking it

  package func read(_ completion: @escaping (Reading) -> Void) {
    pose(
      { backend, done in backend.read { reading in done { completion(reading) } } },
      refuse: { completion(.unreadable($0)) })
  }

  package func write(
    _ on: Bool, for origin: Origin, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    pose(
      { backend, done in backend.write(on, for: origin) { result in done { completion(result) } } },
      refuse: { completion(.failure(FlipError(.unavailable, $0.text))) })
  }

  private func read(_ backend: any Backend) {
    backend.read { [weak self] in self?.report?($0) }
  }

  /// Asks the backend where it is there; while that is not known, once the bus has said so.
  private func pose(
    _ ask: @escaping (any Backend, _ done: @escaping (() -> Void) -> Void) -> Void,
    refuse: @escaping (Problem) -> Void
  ) {
    lastQuestion += 1
    let number = lastQuestion
    let question = Question(
      put: { backend in
        ask(backend) { [weak self] answer in
          if self?.questions.removeValue(forKey: number) != nil { answer() }
        }
      }, refuse: refuse)
    switch presence {
    case .unknown: questions[number] = question
    case .absent(let problem): question.refuse(problem)
    case .present(let backend):
      questions[number] = question
      question.put(backend)
    }
  }
}
