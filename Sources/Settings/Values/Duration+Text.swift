// SPDX-License-Identifier: MIT

extension Duration {
  /// Whole seconds where it is whole, else with a decimal: how messages say it.
  package var inSeconds: String {
    let (seconds, attoseconds) = components
    let tenths = attoseconds / 100_000_000_000_000_000
    return tenths == 0 ? "\(seconds)" : "\(seconds).\(tenths)"
  }
}
