// SPDX-License-Identifier: MIT

package import Settings

/// A row as a group sees it.
package protocol GroupMember: AnyObject {
  var id: RowID { get }
  /// What the row shows of its state, nil before it was first read.
  var reading: Reading? { get }

  /// Flips the row for whoever flips what it is a member of.
  func flip(
    _ on: Bool, for origin: Origin, _ completion: @escaping (Result<Void, FlipError>) -> Void)
}

/// One switch for several rows: on when all are on, off when all are off, else mixed.
///
/// A member with nothing behind it (no service, no device, not found) is left out, so that a
/// machine without Bluetooth still has its radios' switch; a member that is there and can't be
/// read leaves the group unknown, unless the others are mixed already.
package final class GroupBackend: Backend {
  private let members: [RowID]
  private let isExclusive: Bool
  private let find: (RowID) -> (any GroupMember)?
  private var report: ((Reading) -> Void)?
  /// Flips of members that have not been answered. Readings wait for the last of them: a group
  /// that is turned on does not pass through mixed.
  private var pending = 0

  /// - Parameter find: finds a member, or nil while there is no row of that id.
  package init(_ definition: GroupBackendDefinition, find: @escaping (RowID) -> (any GroupMember)?)
  {
    members = definition.rows
    isExclusive = definition.isExclusive
    self.find = find
  }

  package func start(_ report: @escaping (Reading) -> Void) {
    self.report = report
    if let news { report(news) }
  }

  /// None in the middle of the group's own flip, and until each member has been read.
  package var news: Reading? {
    pending > 0 || reading == .unreadable(Self.notReadYet) ? nil : reading
  }

  package func read(_ completion: @escaping (Reading) -> Void) {
    completion(reading)
  }

  package func write(
    _ on: Bool, for origin: Origin, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    if isExclusive, on {
      let error = FlipError(
        .notSupported, "only one row of this group can be on; turn that one on instead")
      return completion(.failure(error))
    }
    // Those too that are so already: one may be on its way elsewhere. For the rest it is nothing.
    let present = members.compactMap(find)
    guard !present.isEmpty else { return completion(.success(())) }
    pending += present.count
    var left = present.count
    var failures: [FlipError] = []
    for member in present {
      member.flip(on, for: origin.withoutQuestions) { [weak self] result in
        if case .failure(let error) = result { failures.append(error) }
        left -= 1
        self?.pending -= 1
        if left == 0 { self?.finish(on, failures, completion) }
      }
    }
  }

  package func stop() {
    report = nil
  }

  private func finish(
    _ on: Bool, _ failures: [FlipError], _ completion: (Result<Void, FlipError>) -> Void
  ) {
    let reading = reading
    report?(reading)
    // Who has nothing behind it can't be flipped and does not count; everyone else must be right.
    guard let first = failures.first, reading.state != SwitchState(on) else {
      return completion(.success(()))
    }
    let others = failures.count > 1 ? " (and \(failures.count - 1) more)" : ""
    completion(.failure(FlipError(first.kind, "\(first.message)\(others)")))
  }

  private var reading: Reading {
    var (on, off, mixed) = (false, false, false)
    var absence: Problem?
    var trouble: Problem?
    for id in members {
      guard let member = find(id) else {
        absence = absence ?? Problem(.notFound, "there is no row \(id)")
        continue
      }
      switch member.reading?.state {
      case nil: trouble = trouble ?? Self.notReadYet
      case .on?: on = true
      case .off?: off = true
      case .mixed?: mixed = true
      case .unknown?:
        guard let problem = member.reading?.problem else { continue }
        let named = Problem(problem.reason, "\(id): \(problem.text)")
        if problem.isAbsence { absence = absence ?? named } else { trouble = trouble ?? named }
      }
    }
    if mixed || (on && off) { return .mixed }
    if let trouble { return .unreadable(trouble) }
    if on || off { return Reading(on) }
    return .unreadable(absence ?? Problem(.noDevice, "the group has no rows"))
  }

  private static let notReadYet = Problem(.failed, "not all rows of the group have been read yet")
}
