// SPDX-License-Identifier: MIT

import Glibc
import System
import TestSupport
import Testing

/// Row files that are none. Each is reported and takes no other row with it.
@Suite("hostile row files")
struct HostileFileTests {
  private static let stored = "[Row]\nTitle=Fan\n[Backend]\nType=stored\n"

  /// Makes something at a path that is taken for a row file.
  private static func make(_ kind: String, at path: String) throws {
    switch kind {
    case "huge": try write(Array(repeating: UInt8(ascii: "#"), count: 10 << 20), to: path)
    case "long line":
      try write(Array("\(stored)X-A=\(String(repeating: "x", count: 64 << 10))\n".utf8), to: path)
    case "random":
      var state: UInt64 = 1
      let bytes = (0..<4096).map { _ -> UInt8 in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
      }
      try write(bytes, to: path)
    case "invalid UTF-8":
      try write(Array("[Row]\nTitle=".utf8) + [0xC3, 0x28] + Array("\n".utf8), to: path)
    case "zero bytes":
      try write(Array("[Row]\nTitle=a\0b\n[Backend]\nType=stored\n".utf8), to: path)
    case "duplicate key":
      try write(Array("[Row]\nTitle=a\nTitle=b\n[Backend]\nType=stored\n".utf8), to: path)
    case "duplicate group": try write(Array("\(stored)[Row]\nTitle=b\n".utf8), to: path)
    case "no group": try write(Array("Title=a\n".utf8), to: path)
    case "no backend": try write(Array("[Row]\nTitle=a\n".utf8), to: path)
    case "unknown type": try write(Array("[Row]\nTitle=a\n[Backend]\nType=magic\n".utf8), to: path)
    case "directory": try Files.makeDirectories(path)
    case "FIFO": #expect(mkfifo(path, 0o644) == 0)
    case "socket": try #require(bindSocket(path))
    case "link to itself": #expect(symlink(path, path) == 0)
    case "link to a device": #expect(symlink("/dev/zero", path) == 0)
    default: throw TestFailure("no such kind: \(kind)")
    }
  }

  private static func bindSocket(_ path: String) -> Bool {
    let raw = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(raw) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(raw, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }

  private static func write(_ bytes: [UInt8], to path: String) throws {
    try Files.replace(path, with: bytes)
  }

  private static let kinds = [
    "huge", "long line", "random", "invalid UTF-8", "zero bytes", "duplicate key",
    "duplicate group", "no group", "no backend", "unknown type", "directory", "FIFO",
    "socket", "link to itself", "link to a device",
  ]

  @Test("is an error of its own, there from the start or coming later", arguments: kinds)
  func bad(kind: String) throws {
    let scene = try BackendScene(["lamp": Self.stored]) { scene in
      try Self.make(kind, at: scene.files.path("rows/bad.row"))
    }
    #expect(try scene.client.trouble("bad.row") != #""""#)
    try scene.client.await("lamp", "off")
    try Self.make(kind, at: scene.files.path("rows/worse.row"))
    #expect(try scene.client.trouble("worse.row") != #""""#)
    try scene.requireAlive(["lamp": "off"])
    #expect(try scene.client.setOn("lamp", true) == "ok [true]")
    for id in ["bad", "worse"] {
      let answer = try scene.client.get(id, "State")
      #expect(answer.hasPrefix("error org.freedesktop.DBus.Error.UnknownObject "), "\(answer)")
    }
    // What is put right is there.
    try Program.remove(scene.files.path("rows/bad.row"))
    try scene.writeRow("bad", Self.stored)
    try scene.client.await("bad", "off")
  }

  @Test("carriage returns and a byte order mark are taken")
  func windows() throws {
    let text = "\u{FEFF}" + Self.stored.replacing("\n", with: "\r\n")
    let scene = try BackendScene(["lamp": Self.stored]) { scene in
      try scene.files.write(text, to: "rows/fan.row")
    }
    try scene.client.await("fan", "off")
    #expect(try scene.client.get("fan", "Title") == #""Fan""#)
    #expect(try scene.client.setOn("fan", true) == "ok [true]")
  }

  @Test("a dangling link is no file, and its target makes it one")
  func danglingLink() throws {
    let scene = try BackendScene(["lamp": Self.stored]) { scene in
      let (target, path) = (scene.files.path("target"), scene.files.path("rows/fan.row"))
      #expect(symlink(target, path) == 0)
    }
    try scene.client.await("lamp", "off")
    let answer = try scene.client.get("fan", "State")
    #expect(answer.hasPrefix("error org.freedesktop.DBus.Error.UnknownObject "), "\(answer)")
    try scene.files.write(Self.stored, to: "target")
    _ = try scene.client.reload()
    try scene.client.await("fan", "off")
  }

  @Test(
    "a name that is no id is an error, and the file is not read",
    arguments: ["Lamp", "1lamp", "lamp-post", "_", "", "lämp", String(repeating: "a", count: 65)])
  func badName(name: String) throws {
    let scene = try BackendScene(["lamp": Self.stored])
    try scene.client.await("lamp", "off")
    try scene.files.write(Self.stored, to: "rows/\(name).row")
    if name.isEmpty {
      // A hidden file is nobody's business.
      _ = try scene.client.reload()
    } else {
      #expect(try scene.client.trouble("\(name).row").contains("is not an id"))
    }
    #expect(try scene.client.property("/org/toggled", "org.toggled.Manager1", "Rows") == "1")
    try scene.requireAlive(["lamp": "off"])
  }

  @Test("a file and a directory that a daemon which is not root may not read")
  func unreadable() throws {
    let scene = try BackendScene(
      ["lamp": Self.stored], user: 65534,
      prepare: { scene in
        try scene.files.write(Self.stored, to: "rows/secret.row", mode: 0o600)
        try scene.files.makeDirectory("rows/lamp.row.d")
        #expect(chmod(scene.files.path("rows/lamp.row.d"), 0o700) == 0)
      })
    #expect(try scene.client.trouble("secret.row").contains("ermission"))
    try scene.client.await("lamp", "off")
  }

  @Test("five thousand files at once, and their going")
  func many() throws {
    let scene = try BackendScene(["lamp": Self.stored])
    try scene.client.await("lamp", "off")
    let script = """
      import sys
      for index in range(5000):
          with open(f"{sys.argv[1]}/row{index}.row", "w") as file:
              file.write("[Row]\\nTitle=Row\\n[Backend]\\nType=stored\\n")
      """
    _ = try Program.run([Python.path, "-c", script, scene.files.path("rows")])
    try scene.client.await("row4999", "off")
    try scene.client.awaitProperty("/org/toggled", "org.toggled.Manager1", "Rows", "5001")
    #expect(try scene.client.setOn("row2500", true) == "ok [true]")
    try scene.requireAlive(["lamp": "off", "row0": "off", "row2500": "on"])
    _ = try Program.run(["/bin/sh", "-c", "rm \"$1\"/row*.row", "sh", scene.files.path("rows")])
    try scene.client.awaitProperty("/org/toggled", "org.toggled.Manager1", "Rows", "1")
    try scene.requireAlive(["lamp": "off"])
  }

  @Test(
    "a file row whose path is no small file is unknown, and no other row is",
    arguments: ["fifo", "directory", "huge", "/dev/zero", "/dev/tty", "loop"])
  func wrongPaths(kind: String) throws {
    let scene = try BackendScene(["lamp": Self.stored]) { scene in
      let path = kind.hasPrefix("/") ? kind : scene.files.path(kind)
      switch kind {
      case "fifo": #expect(mkfifo(path, 0o600) == 0)
      case "directory": try scene.files.makeDirectory(kind)
      case "huge":
        try scene.files.write("1", to: kind)
        #expect(truncate(path, 1 << 40) == 0)
      case "loop": #expect(symlink(path, path) == 0)
      default: break
      }
      try scene.writeRow("knob", "[Backend]\nType=file\nPath=\(path)\nInterval=1\n")
    }
    try scene.client.await("knob", ["Reason": #""failed""#])
    try scene.requireAlive(["knob": "unknown", "lamp": "off"])
    #expect(try scene.client.call("knob", "Refresh") == "ok []")
    if kind != "huge" {
      let answer = try scene.client.setOn("knob", true)
      #expect(answer.hasPrefix("error org.toggled.Error.BackendFailed "), "\(answer)")
    }
    #expect(try scene.client.setOn("lamp", true) == "ok [true]")
  }
}

extension Program {
  fileprivate static func remove(_ path: String) throws {
    _ = try run(["rm", "-rf", path])
  }
}
