// SPDX-License-Identifier: MIT

/// The standard error names that this project sends or tells apart.
extension ErrorName {
  /// Something else went wrong.
  package static let failed: ErrorName = "org.freedesktop.DBus.Error.Failed"
  /// The peer is out of memory.
  package static let noMemory: ErrorName = "org.freedesktop.DBus.Error.NoMemory"
  /// Nobody owns the name and it cannot be activated.
  package static let serviceUnknown: ErrorName = "org.freedesktop.DBus.Error.ServiceUnknown"
  /// The name has no owner.
  package static let nameHasNoOwner: ErrorName = "org.freedesktop.DBus.Error.NameHasNoOwner"
  /// The peer did not answer before the time-out, or went away.
  package static let noReply: ErrorName = "org.freedesktop.DBus.Error.NoReply"
  /// Something took longer than it may.
  package static let timeout: ErrorName = "org.freedesktop.DBus.Error.Timeout"
  /// The connection is closed.
  package static let disconnected: ErrorName = "org.freedesktop.DBus.Error.Disconnected"
  /// A file, or the socket of an address, is not there.
  package static let fileNotFound: ErrorName = "org.freedesktop.DBus.Error.FileNotFound"
  /// Nothing listens at the address.
  package static let noServer: ErrorName = "org.freedesktop.DBus.Error.NoServer"
  /// The address does not follow its grammar.
  package static let badAddress: ErrorName = "org.freedesktop.DBus.Error.BadAddress"
  /// The caller may not do this.
  package static let accessDenied: ErrorName = "org.freedesktop.DBus.Error.AccessDenied"
  /// The caller might do this if it let the user be asked.
  package static let interactiveAuthorizationRequired: ErrorName =
    "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired"
  /// Arguments of the wrong type, number or value.
  package static let invalidArgs: ErrorName = "org.freedesktop.DBus.Error.InvalidArgs"
  /// No object at the path.
  package static let unknownObject: ErrorName = "org.freedesktop.DBus.Error.UnknownObject"
  /// The object has no such interface.
  package static let unknownInterface: ErrorName = "org.freedesktop.DBus.Error.UnknownInterface"
  /// The interface has no such method.
  package static let unknownMethod: ErrorName = "org.freedesktop.DBus.Error.UnknownMethod"
  /// The interface has no such property.
  package static let unknownProperty: ErrorName = "org.freedesktop.DBus.Error.UnknownProperty"
  /// The property cannot be written.
  package static let propertyReadOnly: ErrorName = "org.freedesktop.DBus.Error.PropertyReadOnly"
  /// What was asked for is not to be had here.
  package static let notSupported: ErrorName = "org.freedesktop.DBus.Error.NotSupported"
  /// Too much of something.
  package static let limitsExceeded: ErrorName = "org.freedesktop.DBus.Error.LimitsExceeded"
  /// The message contradicts its own signature.
  package static let inconsistentMessage: ErrorName =
    "org.freedesktop.DBus.Error.InconsistentMessage"
}
