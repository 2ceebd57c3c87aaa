// SPDX-License-Identifier: MIT

import DBusTypes
import RowFiles
import Settings
import System
import TestSupport
import Testing

/// The files of Config/rows, which every machine gets.
@Suite("The rows that ship")
struct ShippedRowsTests {
  private static let directory = Project.path("Config/rows")

  private static func catalogue(_ scope: Scope) -> Catalogue {
    Catalogue.load(layers: [CatalogueLayer(directory)], scope: scope, from: DiskFiles())
  }

  private static let rows = Scope.allCases.flatMap { catalogue($0).rows.values }

  private static let ids: [Scope: Set<String>] = [
    .system: [
      "airplane_mode", "wifi", "bluetooth", "mobile_data", "low_power", "automatic_time",
      "automatic_updates", "remote_login", "firewall", "printing", "location", "ip_forwarding",
    ],
    .session: [
      "dark_mode", "night_light", "do_not_disturb", "show_previews", "reduce_motion",
      "high_contrast", "large_text", "screen_reader", "on_screen_keyboard", "sound", "microphone",
      "share_location", "keep_awake",
    ],
  ]

  @Test("are all there, each on its bus, with nothing wrong in them", arguments: Scope.allCases)
  func complete(_ scope: Scope) {
    let catalogue = Self.catalogue(scope)
    #expect(catalogue.errors == [])
    #expect(catalogue.warnings == [])
    #expect(Set(catalogue.rows.keys.map(\.rawValue)) == Self.ids[scope])
  }

  @Test("have a title, a subtitle and words to find them by, in English and in Spanish")
  func texts() {
    for row in Self.rows {
      for text in [row.title, row.subtitle] {
        #expect(text.all.keys.sorted() == ["", "es"], "\(row.id)")
        #expect(!text.all.values.contains(""), "\(row.id)")
      }
      // One line beside the title, in a list of 80 columns.
      #expect(row.subtitle.all.values.allSatisfy { $0.count <= 50 }, "\(row.id)")
      #expect(row.keywords.untranslated.count >= 3, "\(row.id)")
      #expect((row.keywords.translations["es"] ?? []).count >= 3, "\(row.id)")
    }
  }

  @Test("are in sections that have a title in both languages and places of their own")
  func sections() {
    let sections = Self.catalogue(.system).sections.filter { $0.key != .other }
    for (id, section) in sections {
      #expect(section.title.all.keys.sorted() == ["", "es"], "\(id)")
    }
    #expect(Set(sections.values.map(\.order)).count == sections.count)
    #expect(Set(Self.rows.map(\.section)) == Set(sections.keys))
  }

  @Test("have places of their own in their sections, whichever bus they are on")
  func places() {
    let places = Dictionary(grouping: Self.rows) { "\($0.section) \($0.order)" }
    #expect(places.filter { $1.count > 1 }.mapValues { $0.map(\.id.rawValue) } == [:])
  }

  /// By which of polkit's actions whoever asks a service itself to change a property is let; of
  /// one that asks nobody, ours.
  private static let actionsOfServices = [
    "org.freedesktop.timedate1 NTP": "org.freedesktop.timedate1.set-ntp",
    "org.freedesktop.NetworkManager WirelessEnabled":
      "org.freedesktop.NetworkManager.enable-disable-wifi",
    "org.freedesktop.NetworkManager WwanEnabled":
      "org.freedesktop.NetworkManager.enable-disable-wwan",
    "org.freedesktop.UPower.PowerProfiles ActiveProfile":
      "org.freedesktop.UPower.PowerProfiles.switch-profile",
    "net.hadess.PowerProfiles ActiveProfile": "net.hadess.PowerProfiles.switch-profile",
    "org.bluez Powered": "org.toggled.flip-seat",
  ]

  /// The actions of which one has to guard a backend, so that toggled, which is root, does for
  /// nobody what the thing itself would not.
  private static func actions(of backend: BackendDefinition) -> [String] {
    let unitFiles = "org.freedesktop.systemd1.manage-unit-files"
    switch backend.kind {
    case .dbus(let dbus):
      return actionsOfServices["\(dbus.service) \(dbus.property)"].map { [$0] } ?? []
    case .unit(let unit):
      return unit.enables ? [unitFiles] : [unitFiles, "org.freedesktop.systemd1.manage-units"]
    case .command(let command):
      return command.on?.contains("systemctl") == true ? [unitFiles] : [PolkitAction.flip]
    case .rfkill, .airplane: return ["org.toggled.flip-seat"]
    default: return [PolkitAction.flip]
    }
  }

  @Test("of the system name the action by which polkit guards what they turn")
  func actions() {
    for row in Self.catalogue(.system).rows.values {
      let parts =
        switch row.backend.kind {
        case .sequence(let sequence): sequence.steps
        case .first(let first): first.alternatives
        default: [PartDefinition]()
        }
      let backends = parts.map { ($0.backend, $0.polkitAction(rowAction: row.flipAction)) }
      for (backend, action) in backends.isEmpty ? [(row.backend, row.flipAction)] : backends {
        #expect(Self.actions(of: backend).contains(action), "\(row.id)")
      }
    }
  }

  @Test("have colours with names")
  func colours() throws {
    for row in Self.rows {
      let text = String(decoding: try Files.read(row.file, limit: 1 << 16), as: UTF8.self)
      let colours = text.split(separator: "\n").filter { $0.contains("Color=") }
      #expect(!colours.isEmpty, "\(row.id)")
      #expect(!colours.contains { $0.contains("#") }, "\(row.id)")
    }
  }

  @Test(
    "have icons that the theme has",
    arguments: ["/usr/share/icons/Adwaita", "/usr/share/icons/breeze"])
  func icons(_ theme: String) throws {
    let found = try Program.run(["find", "-L", theme, "-type", "f", "-name", "*.svg"])
    let names = Set(
      found.output.split(separator: "\n").map { PathParts(String($0)).name.dropLast(4) })
    #expect(!names.isEmpty, "\(theme) is not installed: run make deps")
    for row in Self.rows {
      for symbol in [row.symbol, row.onSymbol, row.offSymbol] {
        #expect(names.contains(symbol[...]), "\(row.id): \(theme) has no \(symbol)")
      }
    }
  }
}
