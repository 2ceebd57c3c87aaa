// SPDX-License-Identifier: MIT

import Settings

extension [Part] {
  /// That none of them is there, and why not: what is missing for the same reason is told of once,
  /// all else with the part's name. What may come back soonest gives the reason.
  var absence: Problem {
    let problems = compactMap(\.reading?.problem)
    let reason = [.noService, .noDevice, .notFound].first { reason in
      problems.contains { $0.reason == reason }
    }
    if count > 1, Set(problems).count == 1 { return problems[0] }
    var missing: [Missing] = []
    var others: [String] = []
    for part in self {
      guard let thing = part.reading?.problem?.missing else {
        if let problem = part.problem { others.append(problem.text) }
        continue
      }
      if let index = missing.firstIndex(where: { $0.kind == thing.kind }) {
        missing[index].add(thing.names)
      } else {
        missing.append(thing)
      }
    }
    return Problem(reason ?? .failed, (missing.map(\.text) + others).joined(separator: "; "))
  }
}
