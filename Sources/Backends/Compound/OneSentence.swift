// SPDX-License-Identifier: MIT

/// Several sentences as one, where all say the same of different things: `a is not running, nor is
/// b`; `there is no unit a or b`. Nil where they say different things.
nonisolated func oneSentence(_ texts: [String]) -> String? {
  let sentences = texts.map { $0.split(separator: " ", omittingEmptySubsequences: false) }
  guard let first = sentences.first, sentences.count > 1,
    sentences.allSatisfy({ $0.count == first.count })
  else { return nil }
  let differing = first.indices.filter { index in sentences.contains { $0[index] != first[index] } }
  guard let index = differing.first else { return texts[0] }
  guard differing.count == 1 else { return nil }
  let things = sentences.map { $0[index] }
  switch index {
  case 0 where first.dropFirst().starts(with: ["is", "not"]):
    let verb = things.count == 2 ? "is" : "are"
    return "\(texts[0]), nor \(verb) \(things.dropFirst().joined(separator: " and "))"
  case first.count - 1:
    return first.dropLast().joined(separator: " ") + " " + things.joined(separator: " or ")
  default:
    return nil
  }
}
