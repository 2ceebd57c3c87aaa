// SPDX-License-Identifier: MIT

import Settings
import System

/// The value that a row was last set to, for a row that can't be read back.
///
/// Kept with the kernel's boot id: what a program did to the machine is over when that starts anew,
/// and until the row is flipped again nothing is known.
package final class AssumedValue {
  private let path: String
  private let values: StoredValues

  /// - Parameter name: of the file in the directory of stored values: the row's id and more, as the
  ///   id alone is a stored row's.
  package init(name: String, values: StoredValues) {
    path = "\(values.directory)/\(name)"
    self.values = values
  }

  var reading: Reading {
    switch values.load(path, limit: 128, { Record($0) }) {
    case .failure(let problem): return .unreadable(problem)
    case .success(let record):
      guard let record, record.boot == values.bootID else {
        return .unreadable(
          Problem(
            .unrecognised,
            "it can't be read back, and was not set since the machine started; turn it on or off"))
      }
      return Reading(record.isOn)
    }
  }

  func set(_ on: Bool, _ completion: @escaping (Result<Void, FlipError>) -> Void) {
    values.keep(Record(isOn: on, boot: values.bootID).text, at: path, completion)
  }
}

/// What the row was set to, and in which boot of the machine.
nonisolated private struct Record {
  let isOn: Bool
  let boot: String

  private static let separator = " since boot "

  init(isOn: Bool, boot: String) {
    (self.isOn, self.boot) = (isOn, boot)
  }

  /// Reads what `text` is; nil where no record was written like this.
  init?(_ text: String) {
    guard text.hasSuffix("\n") else { return nil }
    let line = text.dropLast()
    for (word, isOn) in [("on", true), ("off", false)]
    where line.hasPrefix(word + Self.separator) {
      let boot = line.dropFirst((word + Self.separator).count)
      guard !boot.contains("\n") else { return nil }
      (self.isOn, self.boot) = (isOn, String(boot))
      return
    }
    return nil
  }

  var text: String { "\(isOn ? "on" : "off")\(Self.separator)\(boot)\n" }
}
