// SPDX-License-Identifier: MIT

/// What is known of a text's type from the text alone.
///
/// `[1, uint32 2]` is an array of `u`: the elements' patterns are merged until they agree, as GLib
/// does, and only what is still open then gets its default.
indirect enum VariantPattern {
  case any
  case exact(SingleType)
  /// Any numeric type; `i` when nothing else says so.
  case integer
  /// `d`, and nothing else.
  case float
  /// A string, an object path or a signature; `s` when nothing else says so.
  case text
  case array(VariantPattern)
  case dictionary(VariantPattern, VariantPattern)
  case tuple([VariantPattern])

  init(_ node: VariantNode, placeholder: SingleType? = nil) throws(VariantTextError) {
    switch node.kind {
    case .boolean: self = .exact(.boolean)
    case .integer: self = .integer
    case .float: self = .float
    case .text: self = .text
    case .bytes: self = .exact(.array(.byte))
    case .typed(let type, _): self = .exact(type)
    case .variant: self = .exact(.variant)
    case .placeholder:
      if let placeholder { self = .exact(placeholder) } else { self = .any }
    case .array(let elements):
      self = .array(try Self.merging(elements, placeholder))
    case .dictionary(let pairs):
      self = .dictionary(
        try Self.merging(pairs.map(\.key), placeholder),
        try Self.merging(pairs.map(\.value), placeholder))
    case .tuple(let members):
      var patterns: [VariantPattern] = []
      for member in members {
        patterns.append(try VariantPattern(member, placeholder: placeholder))
      }
      self = .tuple(patterns)
    }
  }

  private static func merging(
    _ nodes: [VariantNode], _ placeholder: SingleType?
  ) throws(VariantTextError) -> VariantPattern {
    var merged = VariantPattern.any
    for node in nodes {
      let pattern = try VariantPattern(node, placeholder: placeholder)
      guard let both = merged.merged(with: pattern) else {
        throw VariantTextError(
          "expected elements of one type, but \(node.summary) differs from those before it",
          at: node.position)
      }
      merged = both
    }
    return merged
  }

  /// The pattern that fits both; nil when none does.
  func merged(with other: VariantPattern) -> VariantPattern? {
    switch (self, other) {
    case (.any, _): return other
    case (_, .any): return self
    case (.exact(let type), _): return other.accepts(type) ? self : nil
    case (_, .exact(let type)): return accepts(type) ? other : nil
    case (.integer, .integer): return .integer
    case (.integer, .float), (.float, .integer), (.float, .float): return .float
    case (.text, .text): return .text
    case (.array(let mine), .array(let theirs)):
      guard let element = mine.merged(with: theirs) else { return nil }
      return .array(element)
    case (.dictionary(let myKey, let myValue), .dictionary(let key, let value)):
      guard let bothKeys = myKey.merged(with: key), let bothValues = myValue.merged(with: value)
      else { return nil }
      return .dictionary(bothKeys, bothValues)
    case (.tuple(let mine), .tuple(let theirs)):
      guard mine.count == theirs.count else { return nil }
      var members: [VariantPattern] = []
      for (left, right) in zip(mine, theirs) {
        guard let member = left.merged(with: right) else { return nil }
        members.append(member)
      }
      return .tuple(members)
    default:
      return nil
    }
  }

  private func accepts(_ type: SingleType) -> Bool {
    switch (self, type) {
    case (.any, _): true
    case (.exact(let own), _): own == type
    case (.integer, .byte), (.integer, .int16), (.integer, .uint16), (.integer, .int32),
      (.integer, .uint32), (.integer, .int64), (.integer, .uint64), (.integer, .double):
      true
    case (.float, .double): true
    case (.text, .string), (.text, .objectPath), (.text, .signature): true
    case (.array(let element), .array(let wanted)): element.accepts(wanted)
    case (.dictionary(let key, let value), .dictionary(let wantedKey, let wantedValue)):
      key.accepts(wantedKey) && value.accepts(wantedValue)
    case (.tuple(let members), .structure(let wanted)):
      members.count == wanted.count && zip(members, wanted).allSatisfy { $0.accepts($1) }
    default: false
    }
  }

  /// The type with every open part filled by its default; nil when a part has none.
  var defaultType: SingleType? {
    switch self {
    case .any: return nil
    case .exact(let type): return type
    case .integer: return .int32
    case .float: return .double
    case .text: return .string
    case .array(let element):
      guard let element = element.defaultType else { return nil }
      return .array(element)
    case .dictionary(let key, let value):
      guard let key = key.defaultType, let value = value.defaultType, key.isBasic else {
        return nil
      }
      return .dictionary(key: key, value: value)
    case .tuple(let members):
      let types = members.compactMap(\.defaultType)
      return types.count == members.count && !types.isEmpty ? .structure(types) : nil
    }
  }
}
