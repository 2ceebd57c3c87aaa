// SPDX-License-Identifier: MIT

package import DBusTypes

/// An interface, declared once and shared by every object that has it.
///
/// Introspection, Get, Set, GetAll, GetManagedObjects and PropertiesChanged all read this one
/// table, so they cannot disagree. Properties may come and go at run time; methods and signals are
/// fixed.
@MainActor
package final class InterfaceTable<Target: AnyObject> {
  /// The interface's name.
  package let name: InterfaceName
  /// Whether this interface's PropertiesChanged leaves after those of all others.
  let isAnnouncedLast: Bool
  private(set) var properties = StableList<Property<Target>>()
  private var places: [String: Int] = [:]
  let methods: [Method<Target>]
  private let methodPlaces: [String: Int]
  let signals: [SignalDeclaration]

  /// Declares an interface. Two methods of one name are a bug and trap.
  package init(
    _ name: InterfaceName, properties: [Property<Target>] = [], methods: [Method<Target>] = [],
    signals: [SignalDeclaration] = [], isAnnouncedLast: Bool = false
  ) {
    self.name = name
    self.methods = methods
    self.signals = signals
    self.isAnnouncedLast = isAnnouncedLast
    methodPlaces = Dictionary(
      uniqueKeysWithValues: methods.enumerated().map { ($1.name.rawValue, $0) })
    for property in properties {
      add(property)
    }
  }

  /// Adds a property behind the others, or puts it in the place of one of the same name. Objects
  /// that have the interface tell nobody by themselves: see `InterfaceBinding.changed`.
  package func add(_ property: Property<Target>) {
    if let place = places[property.name.rawValue] {
      properties.replace(at: place, with: property)
    } else {
      places[property.name.rawValue] = properties.append(property)
    }
  }

  /// Takes a property away; false when there is none of the name. See
  /// `InterfaceBinding.invalidated` for telling others.
  @discardableResult
  package func remove(_ name: MemberName) -> Bool {
    guard let place = places.removeValue(forKey: name.rawValue) else { return false }
    properties.remove(at: place)
    properties.compact { property, place in places[property.name.rawValue] = place }
    return true
  }

  /// The interface of one object.
  package func bound(to target: Target) -> InterfaceBinding {
    TypedBinding(self, target)
  }

  func property(named name: String) -> Property<Target>? {
    places[name].flatMap { properties[$0] }
  }

  func method(named name: String) -> Method<Target>? {
    methodPlaces[name].map { methods[$0] }
  }
}
