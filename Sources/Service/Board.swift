// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import EventLoop
import Settings

/// All rows and sections, as the row files describe them and as the bus shows them.
///
/// `apply` takes a new catalogue and does only what differs: a row whose file changed keeps its
/// object. A section is published while it has rows: before the first of them, and taken back
/// after the last.
final class Board {
  private(set) var catalogue = Catalogue()
  private(set) var rows: [RowID: RowObject] = [:]
  private var sections: [SectionID: (object: SectionObject, binding: InterfaceBinding)] = [:]
  /// The groups that each row is a member of, and those of them that are exclusive.
  private var groups: [RowID: [RowID]] = [:]
  private var exclusiveGroups: [RowID: [RowID]] = [:]
  /// The airplane switches that each row is a member of.
  private var airplanes: [RowID: [RowID]] = [:]

  private let tree: ObjectTree
  private let loop: EventLoop
  private let log: Log
  let locale: Locale
  private let factory: BackendFactory
  private let programs: ChangePrograms
  private let table: InterfaceTable<RowObject>
  private let clients: ClientRequests
  private let switches: SwitchesObject
  /// Rows whose backends have yet to be made.
  private var unstarted: [RowObject] = []
  private(set) var isStarted = false
  /// Told which of the manager's properties, `Rows` or `ConfigErrors`, has become another.
  var managerChanged: (MemberName) -> Void = { _ in }
  /// Told when `summary` may have become another.
  var summaryChanged: () -> Void = {}

  init(
    tree: ObjectTree, loop: EventLoop, log: Log, locale: Locale, factory: BackendFactory,
    clients: ClientRequests, switches: SwitchesObject
  ) {
    self.tree = tree
    self.loop = loop
    self.log = log
    self.locale = locale
    self.factory = factory
    self.clients = clients
    self.switches = switches
    programs = ChangePrograms(loop: loop, log: log)
    table = RowInterface.table(for: clients)
  }

  /// What there is, in a few words. A row that was not read yet is not said to be unavailable.
  var summary: String {
    let unavailable = rows.values.count { $0.latestReading != nil && !$0.facts.isAvailable }
    let mistakes = catalogue.errors.count
    return "\(rows.count) \(rows.count == 1 ? "row" : "rows")"
      + (unavailable > 0 ? ", \(unavailable) unavailable" : "")
      + (mistakes > 0 ? ", \(mistakes) \(mistakes == 1 ? "mistake" : "mistakes") in row files" : "")
  }

  /// Lets the backends begin. Until then the rows are there and unknown.
  func start() {
    isStarted = true
    startBackends()
  }

  /// Has every row read again: the machine slept, or what there is may be another for some other
  /// reason.
  func readAll(afterSleep: Bool) {
    if afterSleep { for row in rows.values { row.didSleep() } }
    for row in rows.values { row.readAfresh() }
  }

  /// Has every lock try again what it gave up: an administrator says that things are different.
  func enforceLocks() {
    for row in rows.values { row.enforceLock() }
  }

  private func startBackends() {
    guard isStarted else { return }
    let rows = unstarted.filter { !$0.isRemoved }
    unstarted = []
    for row in rows { row.start(factory.backend(for: row.definition, among: self)) }
  }

  // MARK: The catalogue

  func apply(_ new: Catalogue) {
    let old = catalogue
    catalogue = new
    let gone = old.order.filter { new.rows[$0] == nil }
    gone.forEach(remove)
    indexGroups()

    let used = Set(new.rows.values.lazy.map(\.section))
    for id in used.sorted() { publishSection(id) }
    var renewed: [RowID] = []
    for id in new.order {
      guard let definition = new.rows[id] else { continue }
      guard let row = rows[id] else {
        unstarted.append(add(definition))
        renewed.append(id)
        continue
      }
      guard definition != row.definition else { continue }
      let needsBackend = definition.needsAnotherBackend(than: row.definition)
      row.redefine(definition, needsBackend: needsBackend)
      if needsBackend {
        unstarted.append(row)
        renewed.append(id)
      }
    }
    let unused = sections.keys.filter { !used.contains($0) }
    // A row has left its section before the section goes.
    if !unused.isEmpty { tree.flush() }
    for id in unused.sorted() {
      tree.unexport(.section(id))
      sections[id] = nil
    }
    startBackends()
    for id in Set((gone + renewed).flatMap { groups[$0] ?? [] }).sorted() {
      rows[id]?.membersChanged(byFlip: true)
    }
    summaryChanged()
    if new.rows.count != old.rows.count { managerChanged("Rows") }
    if new.errors != old.errors { managerChanged("ConfigErrors") }
    for error in new.errors where !old.errors.contains(error) {
      if error.mayLoseLock { log.error("\(error)") } else { log.warning("\(error)") }
    }
  }

  private func add(_ definition: RowDefinition) -> RowObject {
    let row = RowObject(definition, locale: locale, loop: loop, observer: self)
    let binding = table.bound(to: row)
    rows[row.id] = row
    row.binding = binding
    tree.export(at: .row(row.id), binding)
    switches.add(row)
    return row
  }

  private func remove(_ id: RowID) {
    guard let row = rows.removeValue(forKey: id) else { return }
    row.remove()
    tree.unexport(.row(id))
    row.binding = nil
    switches.remove(id)
    programs.forget(id)
  }

  private func publishSection(_ id: SectionID) {
    let definition = catalogue.sections[id] ?? .other
    if let (section, binding) = sections[id] {
      return binding.changed(section.redefine(definition))
    }
    let section = SectionObject(definition, locale: locale)
    let binding = SectionObject.table.bound(to: section)
    sections[id] = (section, binding)
    tree.export(at: .section(id), binding)
  }

  /// The rows that are turned off when this one is turned on: the others of its exclusive groups.
  func rivals(of row: RowID) -> Set<RowID> {
    var others: Set<RowID> = []
    for id in exclusiveGroups[row] ?? [] {
      guard case .group(let group)? = catalogue.rows[id]?.backend.kind else { continue }
      others.formUnion(group.rows)
    }
    others.remove(row)
    return others
  }

  private func indexGroups() {
    (groups, exclusiveGroups, airplanes) = ([:], [:], [:])
    for (id, definition) in catalogue.rows {
      switch definition.backend.kind {
      case .group(let group):
        for member in group.rows {
          groups[member, default: []].append(id)
          if group.isExclusive { exclusiveGroups[member, default: []].append(id) }
        }
      case .airplane(let airplane):
        for member in airplane.members { airplanes[member, default: []].append(id) }
      default: break
      }
    }
  }
}

extension Board: RowObserver {
  func row(_ row: RowObject, wasRead reading: Reading, byFlip: Bool) {
    for id in airplanes[row.id] ?? [] { rows[id]?.memberWasRead(row.id, reading, byFlip: byFlip) }
  }

  func row(_ row: RowObject, changed names: RowFacts.Names, byFlip: Bool) {
    log.debug(row.summary)
    if names.contains(.isOn) {
      if row.hasUnsentValue { switches.changed(row) } else { switches.unchanged(row) }
    }
    if names.contains(.isAvailable) || names.contains(.reason) { summaryChanged() }
    guard names.contains(.state) || names.contains(.reason) else { return }
    for id in groups[row.id] ?? [] { rows[id]?.membersChanged(byFlip: byFlip) }
    if names.contains(.state) { programs.stateChanged(row) }
  }

  func row(_ row: RowObject, wasTurned on: Bool, for origin: Origin) {
    clients.note(origin) { $0.turned(row.id, on, origin, $1) }
  }

  func row(_ row: RowObject, notes text: String) {
    log.locked(row.id, text)
  }

  /// Turns the others of an exclusive group off. The caller is answered when that is done.
  func row(_ row: RowObject, wasTurnedOnFor origin: Origin, _ done: @escaping () -> Void) {
    let on = rivals(of: row.id).sorted().compactMap { rows[$0] }.filter {
      $0.latestReading?.state == .on || $0.latestReading?.state == .mixed
    }
    guard !on.isEmpty else { return done() }
    var left = on.count
    for other in on {
      other.flip(false, for: origin.withoutQuestions) { [log] result in
        if case .failure(let error) = result {
          log.warning("row \(other.id) stays on beside \(row.id): \(error.message)")
        }
        left -= 1
        if left == 0 { done() }
      }
    }
  }
}

extension RowDefinition {
  /// Whether the row has to start anew with another backend.
  nonisolated fileprivate func needsAnotherBackend(than other: RowDefinition) -> Bool {
    backend != other.backend || timeout != other.timeout
      // The value of a stored row that was never flipped.
      || (backend.kind == .stored && defaultValue != other.defaultValue)
  }
}

extension RowObject {
  /// What the row shows, for the log.
  fileprivate var summary: String {
    let target = facts.target.map { ", turning \($0 ? "on" : "off")" } ?? ""
    let reason = facts.reason.map { " (\($0.rawValue): \(facts.reasonText))" } ?? ""
    return "row \(id) is \(facts.state.rawValue)\(target)\(reason)"
  }
}
