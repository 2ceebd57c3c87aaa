// SPDX-License-Identifier: MIT

extension Value {
  /// Why this value cannot be sent, in words; nil when it can.
  ///
  /// Checks what Swift's type system does not: texts without U+0000, elements of the declared type,
  /// valid types, and nesting within the limits.
  package var problem: String? {
    problem(depth: 0)
  }

  private func problem(depth: Int) -> String? {
    guard depth <= NestingLimit.containers else {
      return "containers nest deeper than \(NestingLimit.containers)"
    }
    switch self {
    case .string(let text):
      return text.utf8.contains(0) ? "a string holds U+0000, which D-Bus cannot carry" : nil
    case .variant(let value):
      return value.problem(depth: depth + 1) ?? value.typeProblem
    case .array(let element, let values):
      guard SingleType.array(element).isValid else {
        return "a\(element) is not a valid type"
      }
      for value in values {
        guard value.hasType(element) else {
          return "an array of \(element) holds \(value.type)"
        }
        if let problem = value.problem(depth: depth + 1) { return problem }
      }
      return nil
    case .dictionary(let key, let value, let entries):
      return dictionaryProblem(key: key, value: value, entries: entries, depth: depth)
    case .structure(let members):
      if members.isEmpty { return "a structure has no members" }
      for member in members {
        if let problem = member.problem(depth: depth + 1) { return problem }
      }
      return nil
    default:
      return nil
    }
  }

  private func dictionaryProblem(
    key: SingleType, value: SingleType, entries: [Entry], depth: Int
  ) -> String? {
    guard SingleType.dictionary(key: key, value: value).isValid else {
      return "a{\(key)\(value)} is not a valid type"
    }
    for entry in entries {
      guard entry.key.hasType(key), entry.value.hasType(value) else {
        return "a dictionary of \(key) to \(value) holds \(entry.key.type) and \(entry.value.type)"
      }
      if let problem = entry.key.problem(depth: depth + 1) ?? entry.value.problem(depth: depth + 1)
      {
        return problem
      }
    }
    return nil
  }

  private var typeProblem: String? {
    type.isValid ? nil : "\(type) is not a valid type"
  }

  /// Whether `type` is this value's, without building the type of a container's members.
  func hasType(_ expected: SingleType) -> Bool {
    switch (self, expected) {
    case (.array(let element, _), .array(let wanted)):
      element == wanted
    case (.dictionary(let key, let value, _), .dictionary(let wantedKey, let wantedValue)):
      key == wantedKey && value == wantedValue
    case (.structure(let members), .structure(let wanted)):
      members.count == wanted.count && zip(members, wanted).allSatisfy { $0.hasType($1) }
    case (.array, _), (.dictionary, _), (.structure, _):
      false
    default:
      type == expected
    }
  }
}
