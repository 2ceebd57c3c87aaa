// SPDX-License-Identifier: MIT

/// The radios of the kernel's rfkill subsystem that are switched together.
package enum RadioClass: String, CaseIterable, Hashable, Sendable {
  case all, wlan, bluetooth, wwan, uwb, wimax, gps, fm, nfc

  /// What a person calls them, to be followed by "radio".
  package var name: String? {
    switch self {
    case .all: nil
    case .wlan: "Wi-Fi"
    case .bluetooth: "Bluetooth"
    case .wwan: "mobile broadband"
    case .uwb: "ultra-wideband"
    case .wimax: "WiMAX"
    case .gps: "GPS"
    case .fm: "FM"
    case .nfc: "NFC"
    }
  }
}

/// Radios, as `Type=rfkill` describes them: on is not blocked.
package struct RfkillBackendDefinition: Hashable, Sendable {
  /// Which radios.
  package var radios: RadioClass

  /// Radios of a class.
  package init(radios: RadioClass) {
    self.radios = radios
  }
}

extension RfkillBackendDefinition {
  static func read(_ reader: inout GroupReader) -> RfkillBackendDefinition? {
    let radios = reader.word("Class", of: RadioClass.self)
    if !reader.has("Class") {
      reader.missing("Class", expected: listed(RadioClass.allCases.map(\.rawValue)))
    }
    return radios.map { RfkillBackendDefinition(radios: $0) }
  }
}
