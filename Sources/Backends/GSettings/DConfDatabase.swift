// SPDX-License-Identifier: MIT

import DBusTypes
import System

/// The file of the user's own database, dconf(7). dconf never writes into it: each change puts
/// another file in its place, and is told of after that.
final class DConfDatabase {
  /// The object in whose name dconf tells of changes of this database.
  static let writer: ObjectPath = "/ca/desrt/dconf/Writer/user"

  private let path: String
  /// More than a user's settings come to.
  private static let limit = 1 << 20

  /// What a key was in one of the files. While it is kept no other file has this one's number.
  struct Sighting: ~Copyable {
    /// The value's bytes, to be compared.
    let value: [UInt8]
    fileprivate let status: FileStatus
    private let file: FileDescriptor

    fileprivate init?(of key: String, in path: String) {
      guard let file = try? FileDescriptor.open(path, [.readOnly, .nonBlocking]),
        let status = try? file.status(), status.kind == .regular,
        status.size <= DConfDatabase.limit, let bytes = try? file.read(upTo: status.size),
        let value = DConfTable(bytes)?.value(of: key)
      else { return nil }
      self.value = value
      self.status = status
      self.file = file
    }
  }

  /// Nil where the programs of this environment keep their settings elsewhere.
  init?(_ environment: [String: String]) {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    guard value("DCONF_PROFILE") == nil, value("GSETTINGS_BACKEND") ?? "dconf" == "dconf",
      let directory = value("XDG_CONFIG_HOME") ?? value("HOME").map({ "\($0)/.config" })
    else { return nil }
    path = "\(directory)/dconf/user"
  }

  /// What the key of this path is now; nil where it has no value of the user's.
  func sighting(of key: String) -> Sighting? { Sighting(of: key, in: path) }

  /// Whether the key has been so ever since.
  func isCurrent(_ sighting: borrowing Sighting) -> Bool {
    guard let now = try? Files.status(path) else { return false }
    return now.device == sighting.status.device && now.inode == sighting.status.inode
  }
}
