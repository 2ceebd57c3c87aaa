// SPDX-License-Identifier: MIT

package import Settings

/// The world behind one row.
///
/// A backend knows no row: it reads, writes and reports what *is*. Rules for every backend:
///
/// - `start` returns at once; the first reading comes through `report` when it is had.
/// - Every `read` and every `write` calls its completion exactly once, perhaps before it returns,
///   and in a bounded time: whatever hangs is answered with a problem or an error.
/// - Reading never writes, and never starts the service that is read unless the row file says so.
/// - After `stop` nothing is called any more and nothing is held.
package protocol Backend: AnyObject {
  /// Begins to watch the world. `report` is called with the first reading and after each change.
  func start(_ report: @escaping (Reading) -> Void)

  /// Asks the world again.
  func read(_ completion: @escaping (Reading) -> Void)

  /// Asks the world to become on or off. Success means that the world took it; whether it came
  /// about is for the next reading to say.
  ///
  /// - Parameter origin: for whom, and whether the backend's own service may ask a person for
  ///   authorisation.
  func write(
    _ on: Bool, for origin: Origin, _ completion: @escaping (Result<Void, FlipError>) -> Void)

  func stop()

  // MARK: For those over other rows or backends; the others have no answer of their own

  /// What it is now that a member has changed, come or gone; nil while that is no news.
  var news: Reading? { get }

  /// A member was read, and is another than before.
  ///
  /// - Parameter byFlip: whether a flip of it was under way.
  func memberWasRead(_ id: RowID, _ reading: Reading, byFlip: Bool)

  /// The machine slept, and woke up.
  func didSleep()

  /// The polkit actions that a flip takes now; nil for those that the definition names.
  ///
  /// - Parameter rowAction: what it takes where the definition names none.
  func polkitActions(rowAction: String) -> Set<String>?
}

extension Backend {
  package var news: Reading? { nil }
  package func memberWasRead(_ id: RowID, _ reading: Reading, byFlip: Bool) {}
  package func didSleep() {}
  package func polkitActions(rowAction: String) -> Set<String>? { nil }
}

extension FlipError {
  /// What a row with On alone says when it is turned off.
  nonisolated static let noOffValue = FlipError(
    .notSupported, "the row file says what on is and not what off is; add Off= to [Backend]")
}
