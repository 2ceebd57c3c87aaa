// SPDX-License-Identifier: MIT

package import DBusTypes

/// What other programs learn when a property changes. Specification: the annotation
/// `org.freedesktop.DBus.Property.EmitsChangedSignal`.
nonisolated package enum ChangeNotice: Sendable {
  /// PropertiesChanged carries the new value.
  case value
  /// PropertiesChanged carries the name alone.
  case invalidation
  /// The value never changes.
  case constant
  /// Changes are not told.
  case none

  var annotation: String? {
    switch self {
    case .value: nil
    case .invalidation: "invalidates"
    case .constant: "const"
    case .none: "false"
    }
  }
}

/// One property of an interface: its name and type, and how it is read from a `Target`.
///
/// A class, because a table hands its properties out for each object that is listed, and copying
/// closures and strings would cost more than writing a value does.
package final class Property<Target: AnyObject> {
  /// The property's name.
  package let name: MemberName
  /// The type, from the Swift type of the getter.
  package let signature: String
  /// What is told of its changes.
  package let notice: ChangeNotice
  /// Appends the value, bare.
  let write: (Target, inout Writer) -> Void
  /// Takes the value that the reader is at; nil for a property that is read only.
  let set: ((Target, inout Reader, Invocation) throws(DBusError) -> Void)?

  private init(
    name: MemberName, signature: String, notice: ChangeNotice,
    write: @escaping (Target, inout Writer) -> Void,
    set: ((Target, inout Reader, Invocation) throws(DBusError) -> Void)?
  ) {
    self.name = name
    self.signature = signature
    self.notice = notice
    self.write = write
    self.set = set
  }

  /// A property that other programs may only read.
  package static func readOnly<Content: DBusValue>(
    _ name: MemberName, _ notice: ChangeNotice = .value,
    get: @escaping (Target) -> Content
  ) -> Property {
    Property(
      name: name, signature: Content.signature, notice: notice,
      write: { target, writer in get(target).write(to: &writer) }, set: nil)
  }

  /// A property that other programs may write. `set` answers the invocation, at once or later, and
  /// with nothing: `invocation.reply()`. A throw refuses it.
  package static func readWrite<Content: DBusValue>(
    _ name: MemberName, _ notice: ChangeNotice = .value,
    get: @escaping (Target) -> Content,
    set: @escaping (Target, Content, Invocation) throws(DBusError) -> Void
  ) -> Property {
    Property(
      name: name, signature: Content.signature, notice: notice,
      write: { target, writer in get(target).write(to: &writer) },
      set: { target, reader, invocation throws(DBusError) in
        try set(target, try Content(from: &reader), invocation)
      })
  }
}
