// SPDX-License-Identifier: MIT

import DBusTypes

/// A wish for signals: it ends when this handle goes or is cancelled.
@MainActor
package final class MatchHandle {
  let rule: MatchRule
  let handler: (Message) -> Void
  /// Follows the owner when the rule's sender is a well-known name.
  var owner: NameWatch?
  private weak var router: SignalRouter?
  var isActive: Bool { router != nil }

  init(_ rule: MatchRule, _ router: SignalRouter, _ handler: @escaping (Message) -> Void) {
    self.rule = rule
    self.router = router
    self.handler = handler
  }

  isolated deinit {
    router?.remove(ObjectIdentifier(self), rule)
  }

  /// Ends it: the handler is not called again, not even for a signal that is being delivered.
  package func cancel() {
    router?.remove(ObjectIdentifier(self), rule)
    router = nil
    owner = nil
  }
}

extension Connection {
  /// Calls `handler` with every signal that fits `rule`, until the handle goes.
  ///
  /// The rule holds from the next message that the bus handles after this one, so a state that is
  /// asked for afterwards misses no change. A refusal by the bus is told to `onNotice`.
  package func addMatch(
    _ rule: MatchRule, _ handler: @escaping (Message) -> Void
  ) -> MatchHandle {
    router.add(rule, handler)
  }
}
