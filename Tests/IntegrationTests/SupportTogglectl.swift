// SPDX-License-Identifier: MIT

import System
import TestSupport

/// togglectl as a user runs it, who has these buses and no others.
@MainActor
struct Togglectl {
  private let environment: [String: String]

  /// - Parameter language: the value of LANG.
  init(session: Stage? = nil, system: Stage? = nil, language: String? = nil) {
    let nowhere = "unix:path=/nonexistent/bus"
    environment = [
      "DBUS_SESSION_BUS_ADDRESS": session?.bus.address ?? nowhere,
      "DBUS_SYSTEM_BUS_ADDRESS": system?.bus.address ?? nowhere,
      "HOME": "/nonexistent",
      "LC_ALL": language ?? "C.UTF-8",
    ]
  }

  /// Runs it to its end.
  func run(_ arguments: String...) throws -> Program.Outcome {
    try run(arguments)
  }

  func run(_ arguments: [String], environment more: [String: String] = [:]) throws
    -> Program.Outcome
  {
    try Program.run(
      [Products.path("togglectl")] + arguments, environment: environment.merging(more) { $1 })
  }

  /// Runs it with its output led elsewhere: `>&-` for nowhere.
  func run(_ arguments: [String], redirected redirection: String) throws -> Program.Outcome {
    let shell = ["sh", "-c", "exec \"$@\" \(redirection)", "sh"]
    return try Program.run(
      shell + [Products.path("togglectl")] + arguments, environment: environment)
  }

  /// Starts one that does not end by itself.
  func start(_ arguments: String..., environment more: [String: String] = [:]) throws -> Program {
    try start(arguments, environment: more)
  }

  func start(_ arguments: [String], environment more: [String: String] = [:]) throws -> Program {
    try Program(
      [Products.path("togglectl")] + arguments, environment: environment.merging(more) { $1 })
  }
}

extension Program.Outcome {
  /// The exit status; nil for a program that was killed.
  var code: Int32? {
    if case .exited(let code) = status { code } else { nil }
  }
}
