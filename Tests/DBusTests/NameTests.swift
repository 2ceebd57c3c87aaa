// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import EventLoop
import Glibc
import System
import TestSupport
import Testing

@MainActor
@Suite("Names")
struct NameTests {
  let name: BusName = "org.example.Service"

  @Test("a name is requested, refused to a second owner, and released")
  func request() throws {
    let fixture = try Fixture()
    #expect(try fixture.service.requestName(name) == .primaryOwner)
    #expect(try fixture.service.requestName(name) == .alreadyOwner)
    #expect(try fixture.client.requestName(name) == .exists)
    #expect(try fixture.client.requestName(name, []) == .inQueue)
    #expect(try fixture.client.nameOwner(name) == fixture.service.uniqueName)
    try fixture.service.releaseName(name)
    #expect(try fixture.client.nameOwner(name) == fixture.client.uniqueName)
    try fixture.client.releaseName(name)
    #expect(throws: DBusError.self) { try fixture.client.nameOwner(name) }
  }

  @Test("the bus says which process and user a connection belongs to")
  func credentials() throws {
    let fixture = try Fixture()
    let pid = try fixture.client.processID(of: fixture.service.uniqueName)
    #expect(try fixture.service.processID(of: fixture.client.uniqueName) == pid)
    var credentials: Result<Credentials, DBusError>?
    fixture.client.credentials(of: fixture.service.uniqueName) { credentials = $0 }
    try fixture.wait(for: "the credentials") { credentials != nil }
    #expect(try credentials?.get().userID == geteuid())
    #expect(try credentials?.get().processID == pid)
  }

  @Test("a watch tells the owner as it is, and then each change")
  func watch() throws {
    let fixture = try Fixture()
    var owners: [BusName?] = []
    let watch = fixture.client.watchName(name) { owners.append($0) }
    #expect(owners.isEmpty)
    #expect(!watch.isKnown)
    try fixture.wait(for: "the first answer") { owners.count == 1 }
    _ = try fixture.service.requestName(name)
    try fixture.wait(for: "the owner") { owners.count == 2 }
    #expect(watch.owner == fixture.service.uniqueName)
    try fixture.service.releaseName(name)
    try fixture.wait(for: "the loss") { owners.count == 3 }
    #expect(owners == [nil, fixture.service.uniqueName, nil])
  }

  @Test("a name that is owned already is told once, and a second watch of it later")
  func ownedAlready() throws {
    let fixture = try Fixture()
    _ = try fixture.service.requestName(name)
    var first: [BusName?] = []
    var second: [BusName?] = []
    let firstWatch = fixture.client.watchName(name) { first.append($0) }
    try fixture.wait(for: "the first answer") { !first.isEmpty }
    let secondWatch = fixture.client.watchName(name) { second.append($0) }
    #expect(second.isEmpty)
    try fixture.wait(for: "the second answer") { !second.isEmpty }
    try fixture.settle()
    #expect(first == [fixture.service.uniqueName])
    #expect(second == [fixture.service.uniqueName])
    #expect(firstWatch.owner == secondWatch.owner)
  }

  @Test("watching a name does not start its service")
  func noActivation() throws {
    let fixture = try Fixture()
    let mark = fixture.bus.directory.path("started")
    try fixture.bus.addService(name.rawValue, command: "/usr/bin/touch \(mark)")
    var owners: [BusName?] = []
    let watch = fixture.client.watchName(name) { owners.append($0) }
    try fixture.wait(for: "the answer") { !owners.isEmpty }
    #expect(owners == [nil])
    #expect(watch.owner == nil)
    let outcome = try Program.run(["test", "-e", mark])
    #expect(!outcome.status.isSuccess)
  }

  @Test("a watch that was cancelled or dropped tells nothing")
  func cancelledWatch() throws {
    let fixture = try Fixture()
    var told = 0
    let cancelled = fixture.client.watchName(name) { _ in told += 1 }
    var dropped: NameWatch? = fixture.client.watchName(name) { _ in told += 1 }
    cancelled.cancel()
    #expect(dropped != nil)
    dropped = nil
    _ = try fixture.service.requestName(name)
    try fixture.settle()
    #expect(told == 0)
  }

  @Test("a peer that leaves the bus is noticed by its unique name")
  func peerLeaves() throws {
    let fixture = try Fixture()
    var owners: [BusName?] = []
    let name = fixture.client.uniqueName
    let watch = fixture.service.watchName(name) { owners.append($0) }
    try fixture.wait(for: "the answer") { owners.count == 1 }
    fixture.client.close()
    try fixture.wait(for: "the loss") { owners.count == 2 }
    #expect(owners == [name, nil])
    #expect(watch.name == name)
  }

  @Test("a handler may drop its own watch")
  func dropInHandler() throws {
    let fixture = try Fixture()
    var told = 0
    var watch: NameWatch?
    watch = fixture.client.watchName(name) { _ in
      told += 1
      watch = nil
    }
    try fixture.wait(for: "the answer") { told > 0 }
    _ = try fixture.service.requestName(name)
    try fixture.settle()
    #expect(told == 1)
    #expect(watch == nil)
  }
}
