// SPDX-License-Identifier: MIT

import Settings

/// What `gsettings` has said of a key, by the bytes that its value had in the user's database.
///
/// Bytes that have been seen before mean what they meant then, so that a value that comes back,
/// as that of a switch does, is known without running a program.
final class RememberedReadings {
  private let database: DConfDatabase
  private let key: String
  private var readings: [[UInt8]: Reading] = [:]

  private static let limit = 16
  private static let longestValue = 256

  /// - Parameter key: the key's own path.
  init(_ database: DConfDatabase, key: String) {
    self.database = database
    self.key = key
  }

  /// A program that is about to be asked for the key; see `Question`.
  func question() -> Question { Question(database.sighting(of: key)) }

  /// What the key was as `gsettings` was asked for it.
  final class Question {
    fileprivate let sighting: DConfDatabase.Sighting?

    fileprivate init(_ sighting: consuming DConfDatabase.Sighting?) {
      self.sighting = sighting
    }
  }

  /// Takes note of the answer, unless it may be of another value than that of the question.
  func learn(_ reading: Reading, answering question: Question) {
    switch question.sighting {
    case .some(let sighting):
      guard sighting.value.count <= Self.longestValue, database.isCurrent(sighting) else { return }
      // Bytes that have become another value: the schema or the profile has changed.
      if readings[sighting.value] != reading, readings[sighting.value] != nil { readings = [:] }
      if readings.count >= Self.limit { readings = [:] }
      readings[sighting.value] = reading
    case .none: return
    }
  }

  /// What the key is now, where that has been seen before.
  var current: Reading? {
    switch database.sighting(of: key) {
    case .some(let sighting): readings[sighting.value]
    case .none: nil
    }
  }
}
