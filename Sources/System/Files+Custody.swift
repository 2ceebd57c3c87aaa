// SPDX-License-Identifier: MIT

import CLinux
import Glibc

/// How somebody could change what a path leads to, who is not meant to.
package struct Weakness: Error, Hashable, Sendable {
  /// What is wrong with the thing at a path.
  package enum Kind: Hashable, Sendable {
    /// It belongs to this user.
    case owner(UInt32)
    /// Its group or everyone may write it: its permission bits.
    case mode(UInt32)
    /// Anyone may put things where it lies, so it may be a hard link of anyone's.
    case place
  }

  /// The file, directory or link, somewhere on the way.
  package let path: String
  package let kind: Kind
  /// The user whom the advice is to give it to.
  private let keeper: UInt32

  /// - Parameter owners: the users who may change it.
  init(path: String, kind: Kind, owners: Set<UInt32>) {
    self.path = path
    self.kind = kind
    keeper = owners.max() ?? 0
  }
}

extension Weakness: CustomStringConvertible {
  package var description: String {
    switch kind {
    case .owner(let user):
      "\(path) belongs to user \(user); chown \(keeper == 0 ? "root" : "\(keeper)") \(path)"
    case .mode(let mode):
      "\(path) may be written by others (mode 0\(String(mode, radix: 8))); chmod go-w \(path)"
    case .place: "\(path) lies where anyone may put files; move it elsewhere"
    }
  }
}

extension Files {
  /// As many links as the kernel follows on one way.
  private static let mostLinks = 40

  /// The first thing on the way of a path that somebody besides `owners` may change, or put
  /// another thing in the place of; nil when nobody can. Every directory and every link on the way
  /// is looked at, and what is at its end. Throws what lstat(2) says of what is not there, where
  /// all that comes before it is sound.
  ///
  /// As nobody else can turn the way once it was found sound, what is opened by the path later is
  /// what was looked at.
  package static func weakness(of path: String, owners: Set<UInt32>) throws(Errno) -> Weakness? {
    var place = ""
    var status = try status("/")
    if let kind = status.weakness(owners, isShared: false) {
      return Weakness(path: "/", kind: kind, owners: owners)
    }
    var links = 0
    var rest = Array(try absolute(path).split(separator: "/").reversed())
    while let name = rest.popLast() {
      if name == "." { continue }
      if name == ".." {
        let parent = PathParts(place).directory
        place = place.isEmpty || parent == "/" ? "" : parent
        status = try self.status(place.isEmpty ? "/" : place)
        continue
      }
      let isShared = status.isShared
      let next = "\(place)/\(name)"
      let found = try self.status(next, followingLinks: false)
      if let kind = found.weakness(owners, isShared: isShared) {
        return Weakness(path: next, kind: kind, owners: owners)
      }
      guard found.kind == .symbolicLink else {
        (place, status) = (next, found)
        continue
      }
      links += 1
      guard links <= mostLinks else { throw .tooManySymbolicLinks }
      let target = try self.target(ofLink: next)
      rest += target.split(separator: "/").reversed()
      guard target.utf8.first == UInt8(ascii: "/") else { continue }
      (place, status) = ("", try self.status("/"))
    }
    // A place for all on the way is sound, and as the end of it is not.
    return status.weakness(owners).map { Weakness(path: place, kind: $0, owners: owners) }
  }

  /// The same of a path whose directory has no weakness.
  package static func weakness(
    ofEntry path: String, owners: Set<UInt32>
  ) throws(Errno) -> Weakness? {
    let status = try status(path, followingLinks: false)
    if status.kind == .symbolicLink { return try weakness(of: path, owners: owners) }
    return status.weakness(owners).map { Weakness(path: path, kind: $0, owners: owners) }
  }

  private static func absolute(_ path: String) throws(Errno) -> String {
    if path.utf8.first == UInt8(ascii: "/") { return path }
    guard let directory = getcwd(nil, 0) else { throw .current }
    defer { free(directory) }
    return "\(String(cString: directory))/\(path)"
  }

  /// readlink(2). A target that is not UTF-8 is `.invalidArgument`.
  private static func target(ofLink path: String) throws(Errno) -> String {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = try systemCall(path: path) { path in
      buffer.withUnsafeMutableBytes { bytes in
        bytes.withMemoryRebound(to: CChar.self) { characters in
          characters.baseAddress.map { readlink(path, $0, characters.count) } ?? 0
        }
      }
    }
    guard let target = String(validating: buffer[..<count], as: UTF8.self) else {
      throw .invalidArgument
    }
    return target
  }
}

extension FileStatus {
  /// Whether it is a directory where anyone may put things, though not in place of another's.
  fileprivate var isShared: Bool {
    kind == .directory && permissions & 0o022 != 0 && permissions & 0o1000 != 0
  }

  /// What is wrong with it by itself, when nobody but `owners` is to change it.
  func weakness(_ owners: Set<UInt32>) -> Weakness.Kind? {
    guard owners.contains(owner) else { return .owner(owner) }
    // A link has no permissions of its own, and what is written to the null device is nowhere.
    let countsMode = kind != .symbolicLink && !isNullDevice
    return countsMode && permissions & 0o022 != 0 ? .mode(permissions) : nil
  }

  /// What is wrong with it on the way to something else.
  ///
  /// - Parameter isShared: whether it lies in a directory where anyone may put things. Directories
  ///   alone can't be hard links there.
  fileprivate func weakness(_ owners: Set<UInt32>, isShared: Bool) -> Weakness.Kind? {
    let own = weakness(owners)
    if case .owner = own { return own }
    if isShared, kind != .directory { return .place }
    return self.isShared ? nil : own
  }
}
