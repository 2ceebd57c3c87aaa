// SPDX-License-Identifier: MIT

// TestSupport is what tests of every target need: directories that go away, programs that can't
// outlive the tests, and buses of their own. Every wait ends with its event or with a deadline,
// whose failure says what was awaited and what came instead. Nothing here polls by the clock.

/// A test's surroundings did not do what the test needs.
package struct TestFailure: Error, CustomStringConvertible {
  /// What was expected and what happened.
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// How long anything may take before a test gives up: far more than any machine needs, however slow
/// it is and whatever else it does.
package let patience: Duration = .seconds(120)
