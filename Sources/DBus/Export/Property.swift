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
package struct Property<Target: AnyObject> {
  let member: PropertyMember

  /// The property's name.
  package var name: MemberName { member.name }
  /// The type, from the Swift type of the getter.
  package var signature: String { member.signature }

  /// A property that other programs may only read.
  package static func readOnly<Content: DBusValue>(
    _ name: MemberName, _ notice: ChangeNotice = .value,
    get: @escaping (Target) -> Content
  ) -> Property {
    Property(
      member: PropertyMember(
        name: name, signature: Content.signature, notice: notice, write: writer(get), set: nil))
  }

  /// A property that other programs may write. `set` answers the invocation, at once or later, and
  /// with nothing: `invocation.reply()`. A throw refuses it.
  package static func readWrite<Content: DBusValue>(
    _ name: MemberName, _ notice: ChangeNotice = .value,
    get: @escaping (Target) -> Content,
    set: @escaping (Target, Content, Invocation) throws(DBusError) -> Void
  ) -> Property {
    Property(
      member: PropertyMember(
        name: name, signature: Content.signature, notice: notice, write: writer(get),
        set: { target, reader, invocation throws(DBusError) in
          let content = try Content(from: &reader)
          try set(unsafeDowncast(target, to: Target.self), content, invocation)
        }))
  }

  // A table binds its members to targets of its own type alone, so the casts are right.
  private static func writer<Content: DBusValue>(
    _ get: @escaping (Target) -> Content
  ) -> (AnyObject, inout Writer) -> Void {
    { target, writer in
      get(unsafeDowncast(target, to: Target.self)).write(to: &writer)
    }
  }
}

/// A property as a table keeps it.
///
/// A class, because a table hands its properties out for each object that is listed, and copying
/// closures and strings would cost more than writing a value does.
@MainActor
final class PropertyMember {
  let name: MemberName
  let signature: String
  let notice: ChangeNotice
  /// Appends the value, bare.
  let write: (AnyObject, inout Writer) -> Void
  /// Takes the value that the reader is at; nil for a property that is read only.
  let set: ((AnyObject, inout Reader, Invocation) throws(DBusError) -> Void)?

  init(
    name: MemberName, signature: String, notice: ChangeNotice,
    write: @escaping (AnyObject, inout Writer) -> Void,
    set: ((AnyObject, inout Reader, Invocation) throws(DBusError) -> Void)?
  ) {
    self.name = name
    self.signature = signature
    self.notice = notice
    self.write = write
    self.set = set
  }
}
