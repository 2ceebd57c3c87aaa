// SPDX-License-Identifier: MIT

package import DBusTypes

/// One interface of one object: made by `InterfaceTable.bound(to:)`, given to `ObjectTree.export`,
/// and kept to tell of changes and to send signals. It keeps its target alive.
///
/// What it tells before it is exported and after it was taken back is dropped.
@MainActor
package final class InterfaceBinding {
  let members: InterfaceMembers
  /// Of the type that the table was declared for.
  private let target: AnyObject
  /// Where it is exported. The tree breaks this cycle when it takes the object back.
  var object: ObjectNode?
  /// What has changed since the last PropertiesChanged; nil for most objects at most times.
  var pending: PendingChanges?

  init(_ members: InterfaceMembers, _ target: AnyObject) {
    self.members = members
    self.target = target
  }

  /// The interface's name.
  package var interface: InterfaceName { members.name }

  /// Where the object is; nil while it is not exported.
  package var path: ObjectPath? { object?.path }

  /// Says that properties have changed. They leave in one PropertiesChanged, at the end of the
  /// loop's turn, with `ObjectTree.flush` or before the next answer, with the values they have by
  /// then. Names that the interface does not have are passed over.
  package func changed(_ properties: MemberName...) {
    changed(properties)
  }

  /// Says that properties have changed.
  package func changed(_ properties: [MemberName]) {
    guard beginChanging() else { return }
    for property in properties {
      pending?.change(property.rawValue)
    }
  }

  /// Whether changes wait to be sent.
  package var hasPendingChanges: Bool { pending != nil }

  /// Says that a property has come: it is told of as one that has changed.
  package func added(_ property: MemberName) {
    guard beginChanging() else { return }
    pending?.add(property.rawValue)
  }

  /// Takes back what `changed` said: the properties have the values again that were last told.
  package func unchanged(_ properties: [MemberName]) {
    for property in properties {
      pending?.restore(property.rawValue)
    }
  }

  /// Says that a property is gone: its name is listed as invalidated.
  package func invalidated(_ property: MemberName) {
    guard beginChanging() else { return }
    pending?.invalidate(property.rawValue)
  }

  /// Whether there is anybody to tell; then `pending` is there to be filled.
  private func beginChanging() -> Bool {
    guard let object else { return false }
    if pending == nil {
      pending = PendingChanges()
      object.tree.enqueue(self)
    }
    return true
  }

  /// Sends a signal of the interface, to everyone or to one peer. The values must have the types
  /// that the interface declares.
  package func emit<each Content: DBusValue>(
    _ signal: MemberName, to destination: BusName? = nil, _ values: repeat each Content
  ) {
    guard let object else { return }
    var signature = ""
    repeat signature += (each Content).signature
    precondition(
      signature == members.signals.first { $0.name == signal }?.signature,
      "\(interface) declares no signal \(signal) of types '\(signature)'")
    // Written into a message first: a pack cannot be captured by an escaping closure.
    let message = Message.signal(
      signal, of: interface, at: object.path, destination: destination)
    object.tree.send(message) { writer in
      repeat (each values).write(to: &writer)
    }
  }

  // MARK: For the tree

  /// Appends the property in a variant.
  func write(_ property: PropertyMember, to writer: inout Writer) {
    writer.appendVariant(of: property.signature) { property.write(target, &$0) }
  }

  /// Appends an entry of `a{sv}` for each property.
  func writeProperties(to writer: inout Writer) {
    members.properties.forEach { _, property in
      writer.appendEntry { entry in
        entry.append(property.name.rawValue)
        write(property, to: &entry)
      }
    }
  }

  /// Takes the value that the reader is at; to be called for a property that can be written.
  func set(
    _ property: PropertyMember, from reader: inout Reader, _ invocation: Invocation
  ) throws(DBusError) {
    try property.set?(target, &reader, invocation)
  }

  /// Has the method answer the invocation.
  func invoke(
    _ method: MethodMember, _ reader: inout Reader, _ invocation: Invocation
  ) throws(DBusError) {
    try method.invoke(target, &reader, invocation)
  }
}
