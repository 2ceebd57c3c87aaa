// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Settings

/// What systemd says of one unit, kept true by its signals.
///
/// A unit that does not run may be forgotten by systemd at any time, and whoever asks for its
/// properties has it loaded again. So a signal that it came or went is followed by a question that
/// loads nothing; else question and signal would chase each other.
///
/// However many ask, one question is under way and one waits.
final class UnitObserver {
  enum Contents {
    /// Nothing has been heard yet.
    case unread
    case problem(Problem)
    case facts(UnitFacts)
  }

  private final class Question {
    /// Whether the unit is to be loaded for it.
    var loads = false
    var completions: [() -> Void] = []
  }

  private let unit: UnitBackendDefinition
  private let manager: UnitManager
  private let timeout: Duration
  private let changed: () -> Void
  private(set) var contents = Contents.unread
  /// The unit's own name, by which the signals call it; another one where the row file has an
  /// alias.
  private(set) var name: String
  private var path: ObjectPath?
  private var matches: [MatchHandle] = []
  private var question: Question?
  private var nextQuestion: Question?

  /// - Parameters:
  ///   - timeout: how long each answer may take.
  ///   - changed: called whenever what is known may have become another, until `stop`.
  init(
    _ unit: UnitBackendDefinition, manager: UnitManager, timeout: Duration,
    changed: @escaping () -> Void
  ) {
    self.unit = unit
    self.manager = manager
    self.timeout = timeout
    self.changed = changed
    name = unit.unit
  }

  func start() {
    manager.subscribe(self) { [weak self] in self?.heard($0) }
  }

  func stop() {
    manager.unsubscribe(self)
    (matches, question, nextQuestion) = ([], nil, nil)
  }

  /// Ends it because the bus is lost, and answers who waits.
  func stop(for problem: Problem) {
    let waiting = abandonQuestions()
    stop()
    contents = .problem(problem)
    for completion in waiting { completion() }
  }

  var facts: UnitFacts? {
    guard case .facts(let facts) = contents else { return nil }
    return facts
  }

  private func become(_ contents: Contents) {
    self.contents = contents
    changed()
  }

  // MARK: Signals

  private func heard(_ event: UnitManager.Event) {
    switch event {
    case .present:
      // What the earlier owner of the name still owes an answer to is asked of the new one.
      let waiting = abandonQuestions()
      ask(loading: true) { for completion in waiting { completion() } }
    case .absent:
      let waiting = abandonQuestions()
      become(.problem(Problem(.noService, "systemd is not on the \(unit.bus.rawValue) bus")))
      for completion in waiting { completion() }
    case .filesChanged:
      // Else it matters from the next reload on, which is an event of its own.
      if unit.enables { ask(loading: false) }
    }
  }

  private func follow(_ name: String, at path: ObjectPath) {
    guard name != self.name || path != self.path else { return }
    (self.name, self.path) = (name, path)
    let connection = manager.calls.connection
    let lookAgain: (Message) -> Void = { [weak self] _ in self?.ask(loading: false) }
    matches = [
      connection.addMatch(
        .propertiesChanged(of: .systemdUnit, at: .object(path), sender: .systemd)
      ) { [weak self] in self?.propertiesChanged($0) },
      connection.addMatch(.manager("UnitNew", unit: name), lookAgain),
      connection.addMatch(.manager("UnitRemoved", unit: name), lookAgain),
    ]
  }

  private func propertiesChanged(_ message: Message) {
    guard let changed = message.changedProperties?.changed, var facts else { return }
    facts.take(changed)
    // Most of them are of times and counters.
    if facts != self.facts { become(.facts(facts)) }
  }

  // MARK: Questions

  /// Asks for everything. `completion` runs after a reading that began after this call.
  ///
  /// - Parameter loading: whether systemd is to load the unit for it, if it has not.
  func ask(loading: Bool, _ completion: (() -> Void)? = nil) {
    let next = nextQuestion ?? Question()
    nextQuestion = next
    next.loads = next.loads || loading
    if let completion { next.completions.append(completion) }
    if question == nil { askNext() }
  }

  private func askNext() {
    guard let next = nextQuestion else { return }
    (question, nextQuestion) = (next, nil)
    let call = manager.call(
      next.loads ? "LoadUnit" : "GetUnit", [.string(unit.unit)], timeout: timeout)
    make(call, for: next) { [self] result in
      switch result {
      case .success(let message):
        guard let path = try? message.read(ObjectPath.self) else {
          return end(next, .problem(nonsense(to: call.member)))
        }
        askProperties(at: path, next)
      case .failure(let error) where error.isNoSuchUnit && !next.loads:
        var facts = facts ?? UnitFacts()
        facts.takeUnloaded()
        // Whether there is such a unit at all, its file tells.
        contents = .facts(facts)
        askFileState(next)
      case .failure(let error): end(next, .problem(Problem(error, unit: unit.unit)))
      }
    }
  }

  private func askProperties(at path: ObjectPath, _ question: Question) {
    var call = CallQueue.Call(
      "GetAll", of: .properties, at: path, destination: .systemd, timeout: timeout)
    call.arguments = [.string(InterfaceName.systemdUnit.rawValue)]
    call.options = .noAutoStart
    make(call, for: question) { [self] result in
      switch result {
      case .success(let message):
        guard
          let properties = message.allProperties, let name = properties["Id"]?.asString,
          properties["ActiveState"] != nil
        else {
          return end(question, .problem(nonsense(to: call.member)))
        }
        follow(name, at: path)
        var facts = facts ?? UnitFacts()
        facts.take(properties)
        // Signals keep it up to date while the next answer is awaited.
        contents = .facts(facts)
        if unit.enables { askFileState(question) } else { end(question, .facts(facts)) }
      case .failure(let error): end(question, .problem(Problem(error, unit: unit.unit)))
      }
    }
  }

  private func nonsense(to member: MemberName) -> Problem {
    Problem(.failed, "systemd answered \(member) of \(unit.unit) with something else than a unit")
  }

  private func askFileState(_ question: Question) {
    let call = manager.call("GetUnitFileState", [.string(name)], timeout: timeout)
    make(call, for: question) { [self] result in
      guard var facts else { return end(question, contents) }
      switch result.reading(String.self) {
      case .success(let state): facts.take(fileState: state)
      case .failure(let error) where error.name == .fileNotFound || error.isNoSuchUnit:
        facts.take(fileState: "")
      case .failure(let error):
        return end(question, .problem(Problem(error, unit: unit.unit)))
      }
      end(question, .facts(facts))
    }
  }

  private func make(
    _ call: CallQueue.Call, for question: Question,
    _ completion: @escaping (Result<Message, DBusError>) -> Void
  ) {
    manager.calls.make(call) { [weak self] result in
      if let self, self.question === question { completion(result) }
    }
  }

  /// Gives up what is under way or to come; who waits for it.
  private func abandonQuestions() -> [() -> Void] {
    defer { (question, nextQuestion) = (nil, nil) }
    return [question, nextQuestion].compactMap { $0 }.flatMap(\.completions)
  }

  private func end(_ question: Question, _ contents: Contents) {
    self.question = nil
    become(contents)
    for completion in question.completions { completion() }
    if self.question == nil { askNext() }
  }
}
