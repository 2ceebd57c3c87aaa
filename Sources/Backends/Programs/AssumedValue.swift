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
    do throws(ReadError) {
      let text = String(decoding: try Files.read(path, limit: 128), as: UTF8.self)
      if text == contents(true) { return .on }
      if text == contents(false) { return .off }
    } catch {
      if error != .missing {
        return .unreadable(Problem(.failed, "can't read \(path): \(error)"))
      }
    }
    return .unreadable(
      Problem(
        .unrecognised,
        "it can't be read back, and was not set since the machine started; turn it on or off"))
  }

  func set(_ on: Bool, _ completion: @escaping (Result<Void, FlipError>) -> Void) {
    values.keep(contents(on), at: path, completion)
  }

  private func contents(_ on: Bool) -> String {
    "\(on ? "on" : "off") since boot \(values.bootID)\n"
  }
}
