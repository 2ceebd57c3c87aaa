// SPDX-License-Identifier: MIT

import Glibc

/// A colour of 8 bits a channel, sRGB.
package struct Colour: Hashable, Sendable {
  /// The red channel.
  package let red: UInt8
  /// The green channel.
  package let green: UInt8
  /// The blue channel.
  package let blue: UInt8

  /// The colour of these channels.
  package init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// The colour of `0xRRGGBB`.
  package init(rgb: UInt32) {
    red = UInt8(truncatingIfNeeded: rgb >> 16)
    green = UInt8(truncatingIfNeeded: rgb >> 8)
    blue = UInt8(truncatingIfNeeded: rgb)
  }

  /// The colour that a row file or the bus spells: one of `Colour.names` or `#rrggbb`.
  package init?(_ text: String) {
    if let named = Self.named(text) {
      self = named
      return
    }
    let utf8 = text.utf8
    guard utf8.count == 7, utf8.first == UInt8(ascii: "#") else { return nil }
    // The sign that UInt32's own parser takes is no hexadecimal digit.
    guard text.dropFirst().first != "+", let rgb = UInt32(text.dropFirst(), radix: 16) else {
      return nil
    }
    self.init(rgb: rgb)
  }

  /// The colour as `#rrggbb`, in lower case.
  package var hex: String {
    let digits = String(UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue), radix: 16)
    return "#" + String(repeating: "0", count: 6 - digits.utf8.count) + digits
  }

  /// Black or white, whichever reads on this colour: black where the relative luminance of the
  /// linear components is above 0.5. Row1 shows it as IconForeground.
  package var foreground: Colour {
    let luminance =
      0.2126 * Self.linear(red) + 0.7152 * Self.linear(green) + 0.0722 * Self.linear(blue)
    return luminance > 0.5 ? .black : .white
  }

  /// The transfer function of sRGB (IEC 61966-2-1), from 8 bits to 0…1.
  private static func linear(_ channel: UInt8) -> Double {
    let value = Double(channel) / 255
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }
}
