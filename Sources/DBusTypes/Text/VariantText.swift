// SPDX-License-Identifier: MIT

/// A value written in GVariant's text format, parsed but not yet of a certain type.
///
/// `1` can be of any numeric type and `'x'` a string, an object path or a signature, so a row
/// file's `On='power-saver'` is kept in this form until the property's actual type is known. The
/// format is described in GLib's "GVariant Text Format"; D-Bus has no maybe types, no empty tuples
/// and no descriptors in text, so those are refused.
package struct VariantText: Hashable, Sendable {
  /// What may stand in a text besides values.
  package struct Options: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// `%v`, which stands for a value given later.
    package static let placeholder = Options(rawValue: 1)
  }

  /// The text this was parsed from.
  package let source: String
  let root: VariantNode

  /// Parses `source`; the type of what it means is decided by `value(as:)`.
  package static func parse(
    _ source: String, options: Options = []
  ) throws(VariantTextError) -> VariantText {
    var parser = VariantTextParser(source, options: options)
    let root = try parser.parseDocument()
    // Elements that cannot agree on a type, as in [1, 'a'], have no value of any type.
    _ = try VariantPattern(root)
    return VariantText(source: source, root: root)
  }

  /// The type this text has when nothing else says so: `i` for an integer, `d` for a number with a
  /// point, `s` for a quoted text. Nil when it cannot be told, as for `[]`.
  package var inferredType: SingleType? {
    guard let pattern = try? VariantPattern(root) else { return nil }
    return pattern.defaultType
  }

  /// The value this text has as a `type`. Throws when it has none: `300` as `y`, `'a'` as `i`.
  package func value(as type: SingleType) throws(VariantTextError) -> Value {
    try root.value(as: type, placeholder: nil)
  }

  /// The value with the type that `inferredType` gives.
  package func value() throws(VariantTextError) -> Value {
    try root.inferredValue(placeholder: nil)
  }

  /// Whether this text means `value`, read as the type that `value` has.
  package func matches(_ value: Value) -> Bool {
    (try? self.value(as: value.type)) == value
  }

  /// The arguments of a call: the members of a tuple, or else the one value. `%v` becomes `value`,
  /// as its own type; every other argument has the type that its text gives by itself.
  package func arguments(substituting value: Value) throws(VariantTextError) -> [Value] {
    guard case .tuple(let members) = root.kind else {
      return [try root.inferredValue(placeholder: value)]
    }
    var arguments: [Value] = []
    for member in members {
      arguments.append(try member.inferredValue(placeholder: value))
    }
    return arguments
  }
}

extension VariantText: CustomStringConvertible {
  package var description: String { source }
}
