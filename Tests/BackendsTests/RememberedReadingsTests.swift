// SPDX-License-Identifier: MIT

import Glibc
import Settings
import System
import TestSupport
import Testing

@testable import Backends

@MainActor
@Suite("what gsettings has said of a key")
struct RememberedReadingsTests {
  private let directory: TemporaryDirectory
  private let remembered: RememberedReadings
  private var file: String { directory.path("dconf/user") }

  init() throws {
    directory = try TemporaryDirectory()
    try directory.makeDirectory("dconf")
    let database = try #require(DConfDatabase(["XDG_CONFIG_HOME": directory.path]))
    remembered = RememberedReadings(database, key: "/lamp/lit")
  }

  private func replace(_ value: String) throws {
    try Files.replace(
      file, with: try DConfStage.database("[lamp]\nlit=\(value)\n", in: directory))
  }

  private func learn(_ reading: Reading) {
    remembered.learn(reading, answering: remembered.question())
  }

  @Test("is known when the value comes back, and not of another one")
  func returns() throws {
    #expect(remembered.current == nil)
    try replace("true")
    learn(.on)
    #expect(remembered.current == .on)
    try replace("false")
    #expect(remembered.current == nil)
    learn(.off)
    try replace("true")
    #expect(remembered.current == .on)
    // The same number of another type is another value.
    try replace("byte 1")
    #expect(remembered.current == nil)
  }

  @Test("is not kept where the value became another while it was asked for, and came back")
  func changedMeanwhile() throws {
    try replace("true")
    let question = remembered.question()
    try replace("false")
    try replace("true")
    remembered.learn(.off, answering: question)
    #expect(remembered.current == nil)
  }

  @Test("is forgotten once it says something else of the same value")
  func contradicted() throws {
    try replace("false")
    learn(.off)
    try replace("true")
    learn(.on)
    learn(.mixed)
    #expect(remembered.current == .mixed)
    try replace("false")
    #expect(remembered.current == nil)
  }

  @Test("is kept of a few short values alone")
  func limits() throws {
    try replace("'\(String(repeating: "x", count: 300))'")
    learn(.on)
    #expect(remembered.current == nil)
    for number in 0...16 {
      try replace("\(number)")
      learn(.on)
    }
    #expect(remembered.current == .on)
    try replace("0")
    #expect(remembered.current == nil)
  }

  @Test("is nothing where the database is no file, is none, is too large or can't be found")
  func noDatabase() throws {
    try Files.replace(file, with: Array("GVariant".utf8))
    learn(.on)
    #expect(remembered.current == nil)
    try Files.replace(file, with: [UInt8](repeating: 0, count: 1 << 20 + 1))
    learn(.on)
    #expect(remembered.current == nil)
    try Files.remove(file)
    try #require(mkfifo(file, 0o600) == 0)
    learn(.on)
    #expect(remembered.current == nil)
  }

  @Test(
    "is not kept where settings are elsewhere",
    arguments: [
      ([:], false), (["HOME": "/home/a"], true), (["HOME": "/a", "DCONF_PROFILE": "b"], false),
      (["HOME": "/a", "GSETTINGS_BACKEND": "keyfile"], false),
      (["HOME": "/a", "GSETTINGS_BACKEND": "dconf", "DCONF_PROFILE": ""], true),
    ] as [([String: String], Bool)])
  func elsewhere(environment: [String: String], isThere: Bool) {
    #expect((DConfDatabase(environment) != nil) == isThere)
  }
}
