// SPDX-License-Identifier: MIT

import DBus
import DBusTypes

/// How a peer notes what came: a line each, short enough to be compared as it stands.
///
/// `rows/lamp Row1 IsOn=true State='on'` for a PropertiesChanged, with `-Name` for an invalidated
/// property; `+rows/lamp Row1` and `-rows/lamp Row1` for InterfacesAdded and InterfacesRemoved;
/// `SetOn: true` and `SetOn: !org.toggled.Error.Locked` for answers.
@MainActor
enum Journal {
  static func line(_ label: String, _ outcome: Result<[Value], DBusError>) -> String {
    switch outcome {
    case .success(let values): ([label + ":"] + values.map(\.text)).joined(separator: " ")
    case .failure(let error): "\(label): !\(error.name)"
    }
  }

  static func line(_ message: Message) -> String {
    let path = shortened(message.path?.rawValue ?? "")
    if let (interface, changed, invalidated) = try? message.read(
      String.self, Pairs<String, Value>.self, [String].self)
    {
      let parts =
        [path, shortened(interface)]
        + changed.entries.map { "\($0.key)=\($0.value.unwrapped.text)" }
        + invalidated.map { "-\($0)" }
      return parts.joined(separator: " ")
    }
    if let (object, interfaces) = try? message.read(
      ObjectPath.self, [String: [String: Value]].self)
    {
      let names = interfaces.keys.map(shortened).sorted()
      return "+\(shortened(object.rawValue)) \(names.joined(separator: " "))"
    }
    if let (object, interfaces) = try? message.read(ObjectPath.self, [String].self) {
      return "-\(shortened(object.rawValue)) \(interfaces.map(shortened).joined(separator: " "))"
    }
    return "\(path) \(message.member?.rawValue ?? "") \(message.signature)"
  }

  /// Without what all names here have in common.
  private static func shortened(_ name: String) -> String {
    for prefix in ["/org/toggled/", "org.toggled."] where name.hasPrefix(prefix) {
      return String(name.dropFirst(prefix.count))
    }
    return name
  }
}
