// SPDX-License-Identifier: MIT

package import DBusTypes

/// Which signals to receive. Specification: "Match Rules".
nonisolated package struct MatchRule: Hashable, Sendable {
  /// Who sends it: a unique name, or a well-known one whose owner is then followed.
  package var sender: BusName?
  /// The object it is about, or above it.
  package var path: Path?
  /// The signal's interface.
  package var interface: InterfaceName?
  /// The signal's name.
  package var member: MemberName?
  /// The first argument, which must be a string.
  package var firstArgument: String?
  /// The first argument, which must be the path of this object.
  package var firstArgumentPath: ObjectPath?

  /// How a rule names objects.
  package enum Path: Hashable, Sendable {
    /// This object.
    case object(ObjectPath)
    /// This object and every one below it.
    case namespace(ObjectPath)
  }

  /// A rule that demands what is given and nothing else; U+0000 in the argument becomes U+FFFD.
  ///
  /// - Parameter sender: nil takes anyone, and anyone on a bus may send any signal.
  package init(
    sender: BusName?, path: Path? = nil, interface: InterfaceName? = nil,
    member: MemberName? = nil, firstArgument: String? = nil, firstArgumentPath: ObjectPath? = nil
  ) {
    self.sender = sender
    self.path = path
    self.interface = interface
    self.member = member
    self.firstArgument = firstArgument?.withoutNull
    self.firstArgumentPath = firstArgumentPath
  }

  /// `PropertiesChanged` of one interface at one object or below.
  package static func propertiesChanged(
    of interface: InterfaceName? = nil, at path: Path, sender: BusName
  ) -> MatchRule {
    MatchRule(
      sender: sender, path: path, interface: .properties, member: "PropertiesChanged",
      firstArgument: interface?.rawValue)
  }

  /// The rule as the bus wants it.
  package var text: String {
    var text = "type='signal'"
    if let sender { text += ",sender='\(sender)'" }
    switch path {
    case .object(let path): text += ",path='\(path)'"
    // The bus does not take "/" as a namespace; everything lies below it.
    case .namespace(let path) where !path.isRoot: text += ",path_namespace='\(path)'"
    case .namespace, nil: break
    }
    if let interface { text += ",interface='\(interface)'" }
    if let member { text += ",member='\(member)'" }
    if let firstArgument { text += ",arg0=" + Self.quoted(firstArgument) }
    if let firstArgumentPath { text += ",arg0path='\(firstArgumentPath)'" }
    return text
  }

  /// Within quotes nothing has a meaning; a quote itself stands between two quoted parts.
  private static func quoted(_ text: String) -> String {
    var result = "'"
    for scalar in text.unicodeScalars {
      if scalar == "'" { result += "'\\''" } else { result.unicodeScalars.append(scalar) }
    }
    return result + "'"
  }
}
