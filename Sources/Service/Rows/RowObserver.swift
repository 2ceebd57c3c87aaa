// SPDX-License-Identifier: MIT

import Backends
import Settings

/// Who is told of what a row shows.
protocol RowObserver: AnyObject {
  /// The row was found to be another than before, announced or not; by a flip or while one was
  /// under way, or from outside.
  func row(_ row: RowObject, wasRead reading: Reading, byFlip: Bool)
  /// These facts of the row became others; its own signal is seen to.
  func row(_ row: RowObject, changed names: RowFacts.Names, byFlip: Bool)
  /// What has to be allowed for turning the row to that value.
  func permissions(toTurn row: RowObject, _ on: Bool) -> [Permission]
  /// The row became on or off.
  func row(_ row: RowObject, wasTurned on: Bool, for origin: Origin)
  /// The row has something to tell a person that nobody waits to hear.
  func row(_ row: RowObject, notes text: String)
  /// A client's flip turned the row on. Who waits for it is answered by `done`.
  func row(_ row: RowObject, wasTurnedOnFor origin: Origin, _ done: @escaping () -> Void)
}
