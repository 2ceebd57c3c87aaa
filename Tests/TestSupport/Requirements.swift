// SPDX-License-Identifier: MIT

package import Testing

extension Trait where Self == ConditionTrait {
  /// For tests that something may stand in the way of: left out, with the reason, where it does.
  package static func needs(_ obstacle: String?) -> ConditionTrait {
    .enabled(if: obstacle == nil, Comment(rawValue: obstacle ?? ""))
  }

  /// For tests that boot a machine.
  package static var needsMachine: ConditionTrait { needs(Machine.obstacle) }

  /// For tests of radios.
  package static var needsRadios: ConditionTrait { needs(RadioDevice.obstacle) }
}
