// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

/// The settings of every target. `isolated` targets live on the one thread of the event loop:
/// default isolation lets the compiler prove it. Pure ones hold values that go anywhere.
func settings(isolated: Bool) -> [SwiftSetting] {
  let common: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
  ]
  return isolated ? common + [.defaultIsolation(MainActor.self)] : common
}

func library(_ name: String, isolated: Bool, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings(isolated: isolated))
}

func tests(
  _ name: String, _ dependencies: [Target.Dependency], excluding excluded: [String] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies + ["TestSupport"], exclude: excluded,
    swiftSettings: settings(isolated: false))
}

let package = Package(
  name: "toggled",
  products: [
    .executable(name: "toggled", targets: ["toggled"]),
    .executable(name: "togglectl", targets: ["togglectl"]),
  ],
  targets: [
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    .systemLibrary(name: "CLinux"),

    library("System", isolated: false, ["CLinux"]),
    library("EventLoop", isolated: true, ["System", "CLinux"]),
    library("DBusTypes", isolated: false, []),
    library("DBus", isolated: true, ["CDBus", "DBusTypes", "EventLoop", "System"]),
    library("Settings", isolated: false, ["DBusTypes"]),
    library("RowFiles", isolated: false, ["Settings", "System"]),
    library("Backends", isolated: true, ["Settings", "DBus", "DBusTypes", "EventLoop", "System"]),
    library(
      "Service", isolated: true,
      ["Settings", "RowFiles", "Backends", "DBus", "DBusTypes", "EventLoop", "System"]),
    library(
      "Client", isolated: true,
      ["Settings", "RowFiles", "DBus", "DBusTypes", "EventLoop", "System"]),
    .executableTarget(
      name: "toggled", dependencies: ["Service"], swiftSettings: settings(isolated: true)),
    .executableTarget(
      name: "togglectl", dependencies: ["Client"], swiftSettings: settings(isolated: true)),

    .target(
      name: "TestSupport", dependencies: ["System", "CLinux"], path: "Tests/TestSupport",
      exclude: ["machine", "faults.c", "no-units", "radios.c", "terminal"],
      swiftSettings: settings(isolated: false)),
    tests("SystemTests", ["System"]),
    tests("EventLoopTests", ["EventLoop", "System"]),
    tests("DBusTypesTests", ["DBusTypes"]),
    tests("DBusTests", ["DBus", "DBusTypes", "EventLoop", "System"]),
    tests("SettingsTests", ["Settings", "DBusTypes"]),
    tests("RowFilesTests", ["RowFiles", "Settings", "DBusTypes", "System"]),
    tests("BackendsTests", ["Backends", "Settings", "DBus", "DBusTypes", "EventLoop", "System"]),
    tests("ServiceTests", ["Service", "Settings", "DBus", "DBusTypes", "EventLoop", "System"]),
    tests("ClientTests", ["Client", "RowFiles", "Settings", "DBusTypes"]),
    // Golden files and scripts are read where they lie.
    tests(
      "IntegrationTests",
      ["toggled", "togglectl", "DBus", "DBusTypes", "EventLoop", "System"],
      excluding: ["Golden", "Scripts"]),
    // What `make deb` has built, in a booted machine.
    tests("InstalledTests", ["System"]),
  ]
)
