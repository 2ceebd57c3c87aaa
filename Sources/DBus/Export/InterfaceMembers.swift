// SPDX-License-Identifier: MIT

import DBusTypes

/// What an `InterfaceTable` declares, without the type of its targets: generic code that another
/// module uses runs unspecialised, and this is read for every call.
@MainActor
final class InterfaceMembers {
  let name: InterfaceName
  /// Whether this interface's PropertiesChanged leaves after those of all others.
  let isAnnouncedLast: Bool
  private(set) var properties = StableList<PropertyMember>()
  private var places: [String: Int] = [:]
  let methods: [MethodMember]
  private let methodPlaces: [String: Int]
  let signals: [SignalDeclaration]

  init(
    _ name: InterfaceName, properties: [PropertyMember], methods: [MethodMember],
    signals: [SignalDeclaration], isAnnouncedLast: Bool
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

  func add(_ property: PropertyMember) {
    if let place = places[property.name.rawValue] {
      properties.replace(at: place, with: property)
    } else {
      places[property.name.rawValue] = properties.append(property)
    }
  }

  func remove(_ name: MemberName) -> Bool {
    guard let place = places.removeValue(forKey: name.rawValue) else { return false }
    properties.remove(at: place)
    properties.compact { property, place in places[property.name.rawValue] = place }
    return true
  }

  func property(named name: String) -> PropertyMember? {
    guard let place = places[name] else { return nil }
    return properties[place]
  }

  func method(named name: String) -> MethodMember? {
    guard let place = methodPlaces[name] else { return nil }
    return methods[place]
  }

  func describe(in xml: inout IntrospectionWriter) {
    xml.interface(name) { xml in
      for method in methods {
        xml.method(method.name, method.inputs, method.outputs)
      }
      for signal in signals {
        xml.signal(signal.name, signal.arguments)
      }
      properties.forEach { _, property in
        xml.property(
          property.name, property.signature, isWritable: property.set != nil, property.notice)
      }
    }
  }
}
