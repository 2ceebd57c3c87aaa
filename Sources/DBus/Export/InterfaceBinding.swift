// SPDX-License-Identifier: MIT

package import DBusTypes

/// One interface of one object: made by `InterfaceTable.bound(to:)`, given to `ObjectTree.export`,
/// and kept to tell of changes and to send signals. It keeps its target alive.
///
/// What it tells before it is exported and after it was taken back is dropped.
@MainActor
package class InterfaceBinding {
  /// The interface's name.
  package let interface: InterfaceName
  let isAnnouncedLast: Bool
  /// Where it is exported. The tree breaks this cycle when it takes the object back.
  final var object: ObjectNode?
  /// What has changed since the last PropertiesChanged; nil for most objects at most times.
  final var pending: PendingChanges?

  fileprivate init(_ interface: InterfaceName, isAnnouncedLast: Bool) {
    self.interface = interface
    self.isAnnouncedLast = isAnnouncedLast
  }

  /// Where the object is; nil while it is not exported.
  package final var path: ObjectPath? { object?.path }

  /// Says that properties have changed. They leave in one PropertiesChanged, at the end of the
  /// loop's turn, with `ObjectTree.flush` or before the next answer, with the values they have by
  /// then. Names that the interface does not have are passed over.
  package final func changed(_ properties: MemberName...) {
    changed(properties)
  }

  /// Says that properties have changed.
  package final func changed(_ properties: [MemberName]) {
    guard beginChanging() else { return }
    for property in properties {
      pending?.change(property.rawValue)
    }
  }

  /// Whether changes wait to be sent.
  package final var hasPendingChanges: Bool { pending != nil }

  /// Takes back what `changed` said: the properties have the values again that were last told.
  package final func unchanged(_ properties: [MemberName]) {
    for property in properties {
      pending?.restore(property.rawValue)
    }
  }

  /// Says that a property is gone: its name is listed as invalidated.
  package final func invalidated(_ property: MemberName) {
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
  package final func emit<each Content: DBusValue>(
    _ signal: MemberName, to destination: BusName? = nil, _ values: repeat each Content
  ) {
    guard let object else { return }
    var signature = ""
    repeat signature += (each Content).signature
    precondition(
      signature == declaration(ofSignal: signal)?.signature,
      "\(interface) declares no signal \(signal) of types '\(signature)'")
    // Written into a message first: a pack cannot be captured by an escaping closure.
    let message = Message.signal(
      signal, of: interface, at: object.path, destination: destination)
    object.tree.send(message) { writer in
      repeat (each values).write(to: &writer)
    }
  }

  // MARK: For the tree

  func declaration(ofSignal name: MemberName) -> SignalDeclaration? { unimplemented() }
  func kind(ofProperty name: String) -> PropertyKind? { unimplemented() }
  func writeProperty(_ name: String, to writer: inout Writer) { unimplemented() }
  func writeProperties(to writer: inout Writer) { unimplemented() }
  func setProperty(
    _ name: String, from reader: inout Reader, _ invocation: Invocation
  ) throws(DBusError) { unimplemented() }
  func signatures(ofMethod name: String) -> (input: String, output: String)? { unimplemented() }
  func invoke(
    _ method: String, _ reader: inout Reader, _ invocation: Invocation
  ) throws(DBusError) { unimplemented() }
  func describe(in xml: inout IntrospectionWriter) { unimplemented() }

  private func unimplemented() -> Never {
    preconditionFailure("only TypedBinding is ever made")
  }
}

/// What can be done with a property.
nonisolated struct PropertyKind {
  let signature: String
  let notice: ChangeNotice
  let isWritable: Bool
}

/// The binding of a table to a target of its type.
final class TypedBinding<Target: AnyObject>: InterfaceBinding {
  private let table: InterfaceTable<Target>
  private let target: Target

  init(_ table: InterfaceTable<Target>, _ target: Target) {
    self.table = table
    self.target = target
    super.init(table.name, isAnnouncedLast: table.isAnnouncedLast)
  }

  override func declaration(ofSignal name: MemberName) -> SignalDeclaration? {
    table.signals.first { $0.name == name }
  }

  override func kind(ofProperty name: String) -> PropertyKind? {
    table.property(named: name).map {
      PropertyKind(signature: $0.signature, notice: $0.notice, isWritable: $0.set != nil)
    }
  }

  /// Appends the property in a variant; nothing when there is none of the name.
  override func writeProperty(_ name: String, to writer: inout Writer) {
    guard let property = table.property(named: name) else { return }
    write(property, to: &writer)
  }

  /// Appends an entry of `a{sv}` for each property.
  override func writeProperties(to writer: inout Writer) {
    table.properties.forEach { _, property in
      writer.appendEntry { entry in
        entry.append(property.name.rawValue)
        write(property, to: &entry)
      }
    }
  }

  @inline(__always)
  private func write(_ property: Property<Target>, to writer: inout Writer) {
    writer.appendVariant(of: property.signature) { property.write(target, &$0) }
  }

  override func setProperty(
    _ name: String, from reader: inout Reader, _ invocation: Invocation
  ) throws(DBusError) {
    guard let set = table.property(named: name)?.set else { return }
    try set(target, &reader, invocation)
  }

  override func signatures(ofMethod name: String) -> (input: String, output: String)? {
    table.method(named: name).map { ($0.inputSignature, $0.outputSignature) }
  }

  override func invoke(
    _ method: String, _ reader: inout Reader, _ invocation: Invocation
  ) throws(DBusError) {
    guard let method = table.method(named: method) else { return }
    try method.invoke(target, &reader, invocation)
  }

  override func describe(in xml: inout IntrospectionWriter) {
    xml.interface(interface) { xml in
      for method in table.methods {
        xml.method(method.name, method.inputs, method.outputs)
      }
      for signal in table.signals {
        xml.signal(signal.name, signal.arguments)
      }
      table.properties.forEach { _, property in
        xml.property(
          property.name, property.signature, isWritable: property.set != nil, property.notice)
      }
    }
  }
}
