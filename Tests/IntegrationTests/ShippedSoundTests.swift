// SPDX-License-Identifier: MIT

import TestSupport
import Testing

/// The rows of sound that ship, with PipeWire and devices that go nowhere.
@MainActor
@Suite("the sound rows that ship", .serialized)
struct ShippedSoundTests {
  private let desktop: Desktop

  init() throws {
    desktop = try Desktop()
    try desktop.startSound()
  }

  /// A row that mutes what is played, or what is recorded.
  struct Mute: Sendable, CustomTestStringConvertible {
    var id: String
    /// What WirePlumber and PulseAudio call the device.
    var node: String, device: String
    /// Its kind in the names of pactl's commands and of PipeWire's settings.
    var kind: String
    /// Two devices of that kind.
    var devices: (String, String)

    var testDescription: String { id }

    /// As wpctl sees it.
    var pipeWire: ShippedRow {
      ShippedRow(
        id: id, reader: ["sh", "-c", "wpctl get-volume \(node) | grep -c MUTED"],
        texts: ("0", "1"),
        setters: (["wpctl", "set-mute", node, "0"], ["wpctl", "set-mute", node, "1"]))
    }

    /// As pactl sees it.
    var pulseAudio: ShippedRow {
      let set = ["pactl", "set-\(kind)-mute", device]
      return ShippedRow(
        id: id, reader: ["pactl", "get-\(kind)-mute", device], texts: ("Mute: no", "Mute: yes"),
        setters: (set + ["0"], set + ["1"]))
    }

    /// What makes a device the default one.
    func choose(_ name: String) -> [String] {
      [
        "pw-metadata", "0", "default.configured.audio.\(kind)", #"{"name":"\#(name)"}"#,
        "Spa:String:JSON",
      ]
    }
  }

  nonisolated private static let mutes = [
    Mute(
      id: "sound", node: "@DEFAULT_AUDIO_SINK@", device: "@DEFAULT_SINK@", kind: "sink",
      devices: ("one", "two")),
    Mute(
      id: "microphone", node: "@DEFAULT_AUDIO_SOURCE@", device: "@DEFAULT_SOURCE@", kind: "source",
      devices: ("three", "four")),
  ]

  @Test("follow WirePlumber, which goes and comes back", arguments: mutes)
  func followWirePlumber(_ mute: Mute) throws {
    let scene = try ShippedScene(mute.id, on: desktop)
    try scene.client.await(mute.id, "on")
    try scene.expectTrue(mute.pipeWire)
    let states = try scene.states(of: mute.id) {
      try desktop.stopSound()
      try scene.client.await(mute.id, "unknown")
      try desktop.startSound()
      try scene.client.await(mute.id, "on")
    }
    #expect(states == [#""unknown""#, #""on""#])
  }

  @Test("are those of the default device, whichever that is", arguments: mutes)
  func followTheDefault(_ mute: Mute) throws {
    let scene = try ShippedScene(mute.id, on: desktop)
    try scene.run(mute.choose(mute.devices.1))
    try scene.client.await(mute.id, "on")
    try scene.run(mute.pipeWire.setters.off)
    try scene.client.await(mute.id, "off")
    let states = try scene.states(of: mute.id) {
      for (name, state) in [(mute.devices.0, "on"), (mute.devices.1, "off")] {
        try scene.run(mute.choose(name))
        try scene.client.await(mute.id, state)
      }
    }
    #expect(states == [#""on""#, #""off""#])
  }

  @Test("follow PulseAudio's protocol where PipeWire's own is not spoken", arguments: mutes)
  func followPulseAudio(_ mute: Mute) throws {
    try desktop.start("pipewire-pulse")
    let scene = try ShippedScene(
      mute.id, on: desktop, environment: ["PIPEWIRE_RUNTIME_DIR": "/nonexistent"])
    try scene.client.await(mute.id, "on")
    try scene.expectTrue(mute.pulseAudio)
  }
}
