// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

@Suite("make install", .needsBuiltPackage)
struct InstallTests {
  private let destination: TemporaryDirectory

  init() throws {
    destination = try TemporaryDirectory()
  }

  @Test(
    "puts each file where a distribution has it, and make uninstall takes all of them away",
    arguments: ["/usr", "/usr/local"])
  func installs(prefix: String) throws {
    let root = destination.path
    try make("install", prefix: prefix)

    let installed = try files(in: root)
    let expected = [
      "\(prefix)/bin/togglectl", "\(prefix)/libexec/toggled",
      "\(prefix)/lib/systemd/system/toggled.service",
      "\(prefix)/lib/systemd/user/toggled.service",
      "\(prefix)/share/dbus-1/services/org.toggled.service",
      "\(prefix)/share/dbus-1/system-services/org.toggled.service",
      "\(prefix)/share/man/man1/togglectl.1", "\(prefix)/share/man/man5/toggled.row.5",
      "\(prefix)/share/man/man8/toggled.8",
      "\(prefix)/share/doc/toggled/examples/polkit/50-toggled-example.rules",
      // Where alone the programs look that read them.
      "/usr/share/dbus-1/system.d/org.toggled.conf",
      "/usr/share/polkit-1/actions/org.toggled.policy", "/usr/share/toggled/rows/wifi.row",
    ]
    #expect(expected.filter { !installed.contains($0) } == [])
    for file in installed where file.hasSuffix(".service") {
      let text = String(decoding: try Files.read(root + file, limit: 1 << 16), as: UTF8.self)
      #expect(text.contains("=\(prefix)/libexec/toggled"), "\(file)")
      #expect(prefix == "/usr" || !text.contains("/usr/libexec"), "\(file)")
    }
    let version = try Program.run(["\(root)\(prefix)/bin/togglectl", "--version"])
    #expect(version.output.hasPrefix("togglectl "))

    try make("uninstall", prefix: prefix)
    #expect(try files(in: root) == [])
    let folders = try Program.run(
      ["find", root, "-mindepth", "1", "-type", "d", "-name", "*toggled*"])
    #expect(folders.output == "")
  }

  @Test(
    "refuses a prefix where nobody looks for what is installed, and installs nothing",
    arguments: ["/opt", "/usr/local/toggled", "usr", ""])
  func otherPrefix(prefix: String) throws {
    let outcome = try run("install", prefix: prefix)
    #expect(!outcome.status.isSuccess)
    #expect(outcome.error.contains("install: PREFIX=\(prefix): "), "\(outcome.error)")
    #expect(try files(in: destination.path) == [])
  }

  @Test("leaves what others have put among the rows")
  func keepsOthersRows() throws {
    let root = destination.path
    try make("install", prefix: "/usr")
    let row = "/usr/share/toggled/rows/others.row"
    try destination.write("[Row]\nTitle=Other\n", to: String(row.dropFirst()))
    try make("uninstall", prefix: "/usr")
    #expect(try files(in: root) == [row])
  }

  private func run(_ target: String, prefix: String) throws -> Program.Outcome {
    try Program.run(
      [
        "make", "--silent", "--directory", Project.path(""), target, "PREFIX=\(prefix)",
        "DESTDIR=\(destination.path)",
      ])
  }

  private func make(_ target: String, prefix: String) throws {
    let outcome = try run(target, prefix: prefix)
    #expect(outcome.status.isSuccess, "\(outcome.error)")
  }

  /// The paths of all files, as they would be without `root`.
  private func files(in root: String) throws -> Set<String> {
    let found = try Program.run(["find", root, "-not", "-type", "d", "-printf", "/%P\n"])
    return Set(found.output.split(separator: "\n").map(String.init))
  }
}
