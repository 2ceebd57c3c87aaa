// SPDX-License-Identifier: MIT

package import DBusTypes

/// One signal of an interface: its name and arguments.
nonisolated package struct SignalDeclaration: Sendable {
  /// The signal's name.
  package let name: MemberName
  let arguments: [Argument]
  let signature: String

  /// Declares a signal with named arguments of these types.
  package init<each Content: DBusValue>(
    _ name: MemberName, _ names: [String] = [], _: repeat (each Content).Type
  ) {
    var types: [String] = []
    repeat types.append((each Content).signature)
    self.name = name
    arguments = Argument.list(names, types, of: name)
    signature = types.joined()
  }
}
