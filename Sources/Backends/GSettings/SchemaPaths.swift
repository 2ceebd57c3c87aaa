// SPDX-License-Identifier: MIT

import Settings
import System

/// Where the keys of schemas lie, as `gsettings` tells it: once, for every row of a session.
final class SchemaPaths {
  private let runner: ProgramRunner
  private var paths: [Substring: Substring]?
  private var run: ProgramRun?
  private var waiting: [() -> Void] = []

  init(_ runner: ProgramRunner) {
    self.runner = runner
  }

  /// Calls `completion` with the schema's path, which ends with a `/`; nil where it has none of its
  /// own, or was not there yet when the first row asked.
  ///
  /// - Parameter row: who asks.
  func find(
    _ schema: String, for row: String, timeout: Duration,
    _ completion: @escaping (String?) -> Void
  ) {
    if let paths { return completion(paths[schema[...]].map { String($0) }) }
    waiting.append { [weak self] in
      completion(self?.paths?[schema[...]].map { String($0) })
    }
    guard run == nil else { return }
    run = runner.run(
      ["gsettings", "list-schemas", "--print-paths"], for: ProgramPurpose(.state, of: row),
      timeout: timeout
    ) { [weak self] result in
      guard let self else { return }
      run = nil
      paths = Self.paths((try? result.get())?.output ?? [])
      let told = waiting
      waiting = []
      for tell in told { tell() }
    }
  }

  /// Lines of a schema and its path.
  private static func paths(_ output: [UInt8]) -> [Substring: Substring] {
    var paths: [Substring: Substring] = [:]
    for line in String(decoding: output, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2, words[1].hasPrefix("/"), words[1].hasSuffix("/") {
        paths[words[0]] = words[1]
      }
    }
    return paths
  }
}
