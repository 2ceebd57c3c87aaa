// SPDX-License-Identifier: MIT

/// What togglectl exits with.
nonisolated enum ExitCode: Int32, CaseIterable, Sendable {
  case done = 0
  case failed = 1
  case usage = 2
  case noSuchRow = 3
  case denied = 4
  /// Unavailable, locked or held.
  case unavailable = 5
  case noDaemon = 6
  /// `get -q` of a row that is off.
  case off = 10
  /// `get -q` of a row that is mixed or unknown.
  case neither = 11

  /// With several rows the worst is returned: the code that comes first here.
  private static let worstFirst: [ExitCode] = [
    .noDaemon, .usage, .noSuchRow, .denied, .unavailable, .failed, .neither, .off, .done,
  ]

  private var rank: Int { Self.worstFirst.firstIndex(of: self) ?? Self.worstFirst.count }

  /// The worse of two codes.
  static func worse(_ one: ExitCode, _ other: ExitCode) -> ExitCode {
    one.rank <= other.rank ? one : other
  }
}
