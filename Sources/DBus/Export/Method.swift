// SPDX-License-Identifier: MIT

package import DBusTypes

/// One method of an interface: its name, its arguments and what answers it for a `Target`.
///
/// Signatures come from the handler's Swift types: a handler of `(String, Int32) -> Bool` is
/// declared `si` and `b`.
package struct Method<Target: AnyObject> {
  let member: MethodMember

  /// The method's name.
  package var name: MemberName { member.name }

  /// A method that is answered when its handler returns. `in` and `out` name the arguments.
  package static func method<each Input: DBusValue, each Output: DBusValue>(
    _ name: MemberName, in inputs: [String] = [], out outputs: [String] = [],
    _ handler:
      @escaping (Target, Invocation, repeat each Input) throws(DBusError) -> (
        repeat each Output
      )
  ) -> Method {
    var inputTypes: [String] = []
    repeat inputTypes.append((each Input).signature)
    var outputTypes: [String] = []
    repeat outputTypes.append((each Output).signature)
    return Method(name, inputs, inputTypes, outputs, outputTypes) {
      target, reader, invocation throws(DBusError) in
      let results = try handler(target, invocation, repeat try (each Input).init(from: &reader))
      invocation.reply { writer in
        repeat (each results).write(to: &writer)
      }
    }
  }

  /// A method that is answered through its invocation, at once or later, with values of the types
  /// `Output`:
  /// `.deferred("SetOn", in: ["on"], out: ["changed"], Bool.self) { row, call, on in … }`.
  package static func deferred<each Input: DBusValue, each Output: DBusValue>(
    _ name: MemberName, in inputs: [String] = [], out outputs: [String] = [],
    _: repeat (each Output).Type,
    handler: @escaping (Target, Invocation, repeat each Input) throws(DBusError) -> Void
  ) -> Method {
    var inputTypes: [String] = []
    repeat inputTypes.append((each Input).signature)
    var outputTypes: [String] = []
    repeat outputTypes.append((each Output).signature)
    return Method(name, inputs, inputTypes, outputs, outputTypes) {
      target, reader, invocation throws(DBusError) in
      try handler(target, invocation, repeat try (each Input).init(from: &reader))
    }
  }

  private init(
    _ name: MemberName, _ inputs: [String], _ inputTypes: [String], _ outputs: [String],
    _ outputTypes: [String],
    _ invoke: @escaping (Target, inout Reader, Invocation) throws(DBusError) -> Void
  ) {
    member = MethodMember(
      name: name,
      inputs: Argument.list(inputs, inputTypes, of: name),
      outputs: Argument.list(outputs, outputTypes, of: name),
      inputSignature: inputTypes.joined(),
      outputSignature: outputTypes.joined(),
      invoke: { target, reader, invocation throws(DBusError) in
        // A table binds its members to targets of its own type alone.
        try invoke(unsafeDowncast(target, to: Target.self), &reader, invocation)
      })
  }
}

/// A method as a table keeps it.
struct MethodMember {
  let name: MemberName
  let inputs: [Argument]
  let outputs: [Argument]
  /// The types of all inputs, as the message must have them.
  let inputSignature: String
  let outputSignature: String
  /// Answers the invocation, or keeps it to answer later.
  let invoke: (AnyObject, inout Reader, Invocation) throws(DBusError) -> Void
}
