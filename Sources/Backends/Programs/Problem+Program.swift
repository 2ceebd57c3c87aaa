// SPDX-License-Identifier: MIT

import Settings
import System

extension Problem {
  /// Why a program can't be run: what execve(2) said.
  nonisolated init(_ error: Errno, program: String) {
    switch error {
    case .noSuchFileOrDirectory where !program.utf8.contains(UInt8(ascii: "/")):
      self.init(
        .notFound,
        "there is no program \(program) in \(ProgramRunner.searchPath); install it, or give its "
          + "path")
    case .noSuchFileOrDirectory where Files.exists(program):
      self.init(.notFound, "can't run \(program): the program on its first line is missing")
    case .noSuchFileOrDirectory, .notDirectory:
      self.init(.notFound, "there is no program \(program)")
    case .permissionDenied, .notPermitted:
      self.init(.noAccess, "can't run \(program): \(error); is it executable?")
    default:
      self.init(.failed, "can't run \(program): \(error)")
    }
  }
}

extension Errno {
  /// What execve(2) would say of the file, as far as can be told by looking at it; nil where
  /// nothing speaks against it.
  nonisolated init?(executing path: String) {
    guard Files.exists(path) else {
      self = .noSuchFileOrDirectory
      return
    }
    guard Files.isExecutable(path) else {
      self = .permissionDenied
      return
    }
    guard let start = try? FileDescriptor.open(path, [.readOnly, .nonBlocking]).read(upTo: 256)
    else { return nil }
    if start.starts(with: "#!".utf8) {
      let line = start.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
      let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      guard let interpreter = words.first, !Files.exists(String(interpreter)) else { return nil }
      self = .noSuchFileOrDirectory
    } else if start.starts(with: [0x7f] + "ELF".utf8) {
      return nil
    } else {
      self = .notExecutableFormat
    }
  }
}
