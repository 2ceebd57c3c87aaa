// SPDX-License-Identifier: MIT

package import Settings

/// A value that the daemon keeps itself.
///
/// A flip is answered once the value is on the disk, whole: the file is written beside the old
/// one, synchronised, renamed over it, and the directory synchronised. A row that was never
/// flipped has its default. A file that holds neither `on` nor `off` is set aside, and the row is
/// unknown until it is flipped: what was lost is not guessed.
package final class StoredBackend: Backend {
  private let path: String
  private let defaultValue: Bool
  private let values: StoredValues

  /// - Parameter defaultValue: the value of a row that was never flipped; nil is off.
  package init(id: RowID, defaultValue: Bool?, values: StoredValues) {
    path = "\(values.directory)/\(id)"
    self.defaultValue = defaultValue ?? false
    self.values = values
  }

  package func start(_ report: @escaping (Reading) -> Void) {
    // Nobody but the daemon writes the value, so this is all there ever is to report.
    report(reading())
  }

  package func read(_ completion: @escaping (Reading) -> Void) {
    completion(reading())
  }

  package func write(
    _ on: Bool, for origin: Origin, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    values.keep(on ? "on\n" : "off\n", at: path, completion)
  }

  package func stop() {}

  private func reading() -> Reading {
    let value = values.load(path, limit: 64) { text in
      switch text {
      case "on\n", "on": true
      case "off\n", "off": false
      default: nil
      }
    }
    switch value {
    case .success(let value): return Reading(value ?? defaultValue)
    case .failure(let problem): return .unreadable(problem)
    }
  }
}
