// SPDX-License-Identifier: MIT

import DBus
import DBusTypes

// The bodies of the standard interfaces' messages. A peer may send anything: what has another
// shape is nil, and a property whose name is none is left out.

extension Message {
  typealias Properties = [MemberName: Value]

  /// The body of PropertiesChanged: `sa{sv}as`.
  var changedProperties: (interface: String, changed: Properties, invalidated: [MemberName])? {
    guard
      let values = try? values(), values.count == 3,
      let interface = values[0].asString,
      let changed = values[1].asProperties,
      case .array(of: .string, let invalidated) = values[2]
    else { return nil }
    return (interface, changed, invalidated.compactMap { $0.asString.flatMap { MemberName($0) } })
  }

  /// The answer of GetAll: `a{sv}`.
  var allProperties: Properties? {
    guard let values = try? values(), values.count == 1 else { return nil }
    return values[0].asProperties
  }

  /// The interfaces that InterfacesAdded or InterfacesRemoved speaks of.
  var managedInterfaces: [String]? {
    guard let values = try? values(), values.count == 2, case .objectPath = values[0] else {
      return nil
    }
    switch values[1] {
    case .dictionary(.string, _, let entries): return entries.compactMap(\.key.asString)
    case .array(of: .string, let names): return names.compactMap(\.asString)
    default: return nil
    }
  }

  /// The objects of GetManagedObjects, `a{oa{sa{sv}}}`, that have `interface`, and what they say
  /// of the other one.
  func managedObjects(
    with interface: InterfaceName, propertiesOf other: InterfaceName
  ) -> [ObjectPath: Properties]? {
    guard
      let values = try? values(), values.count == 1,
      case .dictionary(.objectPath, _, let entries) = values[0]
    else { return nil }
    var objects: [ObjectPath: Properties] = [:]
    for entry in entries {
      guard
        case .objectPath(let path) = entry.key,
        case .dictionary(.string, .dictionary(.string, .variant), let interfaces) = entry.value
      else { return nil }
      func properties(of name: InterfaceName) -> Properties? {
        interfaces.first { $0.key == .string(name.rawValue) }?.value.asProperties
      }
      guard properties(of: interface) != nil else { continue }
      objects[path] = properties(of: other) ?? [:]
    }
    return objects
  }
}

extension Value {
  /// The entries of an `a{sv}`, out of their variants.
  nonisolated fileprivate var asProperties: [MemberName: Value]? {
    guard case .dictionary(.string, .variant, let entries) = self else { return nil }
    var properties: [MemberName: Value] = [:]
    for entry in entries {
      guard let name = entry.key.asString.flatMap({ MemberName($0) }),
        case .variant(let value) = entry.value
      else { continue }
      properties[name] = value
    }
    return properties
  }
}
