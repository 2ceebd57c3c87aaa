// SPDX-License-Identifier: MIT

package import DBusTypes

/// An interface, declared once and shared by every object that has it.
///
/// Introspection, Get, Set, GetAll, GetManagedObjects and PropertiesChanged all read this one
/// table, so they cannot disagree. Properties may come and go at run time; methods and signals are
/// fixed.
@MainActor
package final class InterfaceTable<Target: AnyObject> {
  private let members: InterfaceMembers

  /// Declares an interface. Two methods of one name are a bug and trap.
  package init(
    _ name: InterfaceName, properties: [Property<Target>] = [], methods: [Method<Target>] = [],
    signals: [SignalDeclaration] = [], isAnnouncedLast: Bool = false
  ) {
    members = InterfaceMembers(
      name, properties: properties.map(\.member), methods: methods.map(\.member),
      signals: signals, isAnnouncedLast: isAnnouncedLast)
  }

  /// The interface's name.
  package var name: InterfaceName { members.name }

  /// Adds a property behind the others, or puts it in the place of one of the same name. Objects
  /// that have the interface tell nobody by themselves: see `InterfaceBinding.added`.
  package func add(_ property: Property<Target>) {
    members.add(property.member)
  }

  /// Takes a property away; false when there is none of the name. See
  /// `InterfaceBinding.invalidated` for telling others.
  @discardableResult
  package func remove(_ name: MemberName) -> Bool {
    members.remove(name)
  }

  /// The interface of one object.
  package func bound(to target: Target) -> InterfaceBinding {
    InterfaceBinding(members, target)
  }
}
