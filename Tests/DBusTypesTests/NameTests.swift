// SPDX-License-Identifier: MIT

import DBusTypes
import Testing

@Suite("Names")
struct NameTests {
  static let long = "a." + String(repeating: "b", count: 253)

  @Test(
    "a bus name follows the specification",
    arguments: [
      ("org.freedesktop.DBus", true), (":1.42", true), (":a.b", true), (":1.0-x", true),
      ("a.b", true), ("_a._b", true), ("org.a-b", true), (long, true), (long + "b", false),
      ("", false), (":", false), (":1", false), ("a", false), (".a.b", false), ("a.b.", false),
      ("a..b", false), ("a.1b", false), ("1a.b", false), ("a.b c", false), ("a.é", false),
      ("a.b\u{0}", false), ("a:b.c", false), ("a.b/c", false), (":1..2", false),
    ])
  func busNames(text: String, isValid: Bool) {
    #expect((BusName(text) != nil) == isValid)
  }

  @Test("only unique names are unique")
  func unique() {
    #expect((":1.42" as BusName).isUnique)
    #expect(!("org.example.A" as BusName).isUnique)
  }

  @Test(
    "interface and error names follow the specification",
    arguments: [
      ("org.freedesktop.DBus", true), ("a.b", true), ("_._", true), ("a.b1", true), (long, true),
      (long + "b", false), ("", false), ("a", false), (":1.42", false), ("a.b-c", false),
      ("a.1", false), ("a.", false), (".a", false), ("a..b", false), ("a b.c", false),
      ("a.ü", false), ("a.b\u{0}", false),
    ])
  func interfaceNames(text: String, isValid: Bool) {
    #expect((InterfaceName(text) != nil) == isValid)
    #expect((ErrorName(text) != nil) == isValid)
  }

  @Test(
    "a member name follows the specification",
    arguments: [
      ("Get", true), ("_", true), ("a1", true), (String(repeating: "a", count: 255), true),
      (String(repeating: "a", count: 256), false), ("", false), ("1a", false), ("a.b", false),
      ("a-b", false), ("é", false), ("a\u{0}", false), ("a b", false),
    ])
  func memberNames(text: String, isValid: Bool) {
    #expect((MemberName(text) != nil) == isValid)
  }

  @Test(
    "an object path follows the specification",
    arguments: [
      ("/", true), ("/a", true), ("/a/b_1/C", true), ("/1", true),
      ("/" + String(repeating: "a", count: 1000), true), ("", false), ("a", false), ("//", false),
      ("/a/", false), ("/a//b", false), ("/a-b", false), ("/é", false), ("/a\u{0}", false),
      ("/a b", false),
    ])
  func objectPaths(text: String, isValid: Bool) {
    #expect((ObjectPath(text) != nil) == isValid)
  }

  @Test("paths are taken apart and put together")
  func pathParts() {
    let path: ObjectPath = "/org/toggled/rows"
    #expect(path.appending("wifi") == "/org/toggled/rows/wifi")
    #expect(ObjectPath.root.appending("org") == "/org")
    #expect(path.appending("") == nil)
    #expect(path.appending("a/b") == nil)
    #expect(path.appending("a-b") == nil)
    #expect(path.parent == "/org/toggled")
    #expect(("/org" as ObjectPath).parent == .root)
    #expect(ObjectPath.root.parent == nil)
    #expect(path.lastElement == "rows")
    #expect(ObjectPath.root.lastElement == "")
    #expect(path.elements == ["org", "toggled", "rows"])
    #expect(ObjectPath.root.elements == [])
    #expect(ObjectPath.root.isRoot)
  }

  @Test(
    "a prefix ends where an element ends",
    arguments: [
      ("/", "/", true), ("/", "/a", true), ("/a", "/a", true), ("/a", "/a/b", true),
      ("/a", "/ab", false), ("/a/b", "/a", false), ("/a", "/b", false),
    ])
  func prefixes(prefix: String, path: String, isPrefix: Bool) throws {
    let prefix = try #require(ObjectPath(prefix))
    let path = try #require(ObjectPath(path))
    #expect(prefix.isPrefix(of: path) == isPrefix)
  }
}
