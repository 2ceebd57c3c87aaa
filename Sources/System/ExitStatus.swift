// SPDX-License-Identifier: MIT

/// How a child ended.
package enum ExitStatus: Hashable, Sendable {
  /// It called exit(3) with this code, 0 to 255.
  case exited(Int32)
  /// This signal killed it.
  case signalled(Int32)

  /// Whether it exited with 0.
  package var isSuccess: Bool { self == .exited(0) }
}

extension ExitStatus: CustomStringConvertible {
  package var description: String {
    switch self {
    case .exited(let code): "exited with status \(code)"
    case .signalled(let number): "was killed by signal \(number)"
    }
  }
}
