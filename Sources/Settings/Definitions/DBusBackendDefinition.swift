// SPDX-License-Identifier: MIT

package import DBusTypes

/// A property of another service, as `Type=dbus` describes it.
package struct DBusBackendDefinition: Hashable, Sendable {
  /// Where the property is.
  package enum Target: Hashable, Sendable {
    /// On one object.
    case object(ObjectPath)
    /// On every object below the ObjectManager at `manager` that has `interface`.
    case implementers(of: InterfaceName, manager: ObjectPath)
  }

  /// How a value is written.
  package enum Setter: Hashable, Sendable {
    /// By `org.freedesktop.DBus.Properties.Set`.
    case property
    /// By a method of the property's own interface. The arguments are the members of a tuple, or
    /// one value; `%v` stands for what is written, as its own type.
    case method(MemberName, arguments: VariantText)
  }

  /// The bus of the service.
  package var bus: Scope
  /// The service.
  package var service: BusName
  /// The object, or which objects.
  package var target: Target
  /// The interface of the property.
  package var interface: InterfaceName
  /// The property.
  package var property: MemberName
  /// The values that mean on: the first is what is written. Never empty.
  package var on: [VariantText]
  /// The values that mean off: the first is what is written. Empty where the file has no Off and
  /// none follows from On: then every value that is not on is off, and off can't be written.
  package var off: [VariantText]
  /// How a value is written.
  package var setter: Setter
  /// Whether reading may start the service.
  package var startsService: Bool
  /// How often to read again what does not tell of its changes; nil for never.
  package var interval: Duration?

  /// A property; the defaults are those of row files.
  package init(
    bus: Scope, service: BusName, target: Target, interface: InterfaceName, property: MemberName,
    on: [VariantText], off: [VariantText], setter: Setter = .property,
    startsService: Bool = false, interval: Duration? = nil
  ) {
    self.bus = bus
    self.service = service
    self.target = target
    self.interface = interface
    self.property = property
    self.on = on
    self.off = off
    self.setter = setter
    self.startsService = startsService
    self.interval = interval
  }
}

extension DBusBackendDefinition {
  static func read(_ reader: inout GroupReader, scope: Scope) -> DBusBackendDefinition? {
    let bus = reader.bus(ofRowOn: scope)
    let service = reader.value("Service", expected: "a well-known bus name such as org.bluez") {
      BusName($0).flatMap { $0.isUnique ? nil : $0 }
    }
    let path = reader.value("Path", expected: "an object path such as /org/bluez") {
      ObjectPath($0)
    }
    let interfaceRule = "an interface name such as org.bluez.Adapter1"
    let implements = reader.value("Implements", expected: interfaceRule) { InterfaceName($0) }
    let interface = reader.value("Interface", expected: interfaceRule) { InterfaceName($0) }
    let property = reader.value("Property", expected: "a property's name such as Powered") {
      MemberName($0)
    }
    let values = OnOff.read(&reader)
    let setter = readSetter(&reader)
    let startsService = reader.flag("Autostart") ?? false
    let interval = reader.seconds("Interval", most: 86_400)

    if !reader.has("Service") { reader.missing("Service", expected: "a well-known bus name") }
    if !reader.has("Path"), !reader.has("Implements") {
      reader.missing("Path", expected: "an object path, or Implements=")
    }
    if !reader.has("Interface"), !reader.has("Implements") {
      reader.missing("Interface", expected: "the interface of the property")
    }
    if !reader.has("Property") { reader.missing("Property", expected: "a property's name") }
    guard let service, let property, let values, let setter, let interface = interface ?? implements
    else { return nil }
    let target: Target
    if let implements {
      target = .implementers(of: implements, manager: path ?? .root)
    } else if let path {
      target = .object(path)
    } else {
      return nil
    }
    return DBusBackendDefinition(
      bus: bus, service: service, target: target, interface: interface, property: property,
      on: values.on, off: values.off, setter: setter, startsService: startsService,
      interval: interval)
  }

  private static func readSetter(_ reader: inout GroupReader) -> Setter? {
    let method = reader.value("SetMethod", expected: "a method's name such as SetNTP") {
      MemberName($0)
    }
    let arguments = reader.variant("SetArguments", options: .placeholder)
    guard reader.has("SetMethod") else {
      if reader.has("SetArguments") {
        reader.fail("SetArguments", "SetArguments stands without SetMethod; expected both")
        return nil
      }
      return .property
    }
    guard let method else { return nil }
    if let arguments { return .method(method, arguments: arguments) }
    guard !reader.has("SetArguments"), let value = VariantText.value else { return nil }
    return .method(method, arguments: value)
  }
}

extension VariantText {
  /// `%v`, the arguments of a SetMethod without SetArguments.
  fileprivate static var value: VariantText? { try? parse("%v", options: .placeholder) }
}
