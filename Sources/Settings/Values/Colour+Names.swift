// SPDX-License-Identifier: MIT

/// SwiftUI's colours, with the values Apple gives them in light mode.
extension Colour {
  /// `#ff3b30`.
  package static let red = Colour(rgb: 0xff3b30)
  /// `#ff9500`.
  package static let orange = Colour(rgb: 0xff9500)
  /// `#ffcc00`.
  package static let yellow = Colour(rgb: 0xffcc00)
  /// `#34c759`.
  package static let green = Colour(rgb: 0x34c759)
  /// `#00c7be`.
  package static let mint = Colour(rgb: 0x00c7be)
  /// `#30b0c7`.
  package static let teal = Colour(rgb: 0x30b0c7)
  /// `#32ade6`.
  package static let cyan = Colour(rgb: 0x32ade6)
  /// `#007aff`.
  package static let blue = Colour(rgb: 0x007aff)
  /// `#5856d6`.
  package static let indigo = Colour(rgb: 0x5856d6)
  /// `#af52de`.
  package static let purple = Colour(rgb: 0xaf52de)
  /// `#ff2d55`.
  package static let pink = Colour(rgb: 0xff2d55)
  /// `#a2845e`.
  package static let brown = Colour(rgb: 0xa2845e)
  /// `#8e8e93`.
  package static let gray = Colour(rgb: 0x8e8e93)
  /// `#ffffff`.
  package static let white = Colour(rgb: 0xffffff)
  /// `#000000`.
  package static let black = Colour(rgb: 0x000000)

  /// The names that row files may use.
  package static let names = [
    "red", "orange", "yellow", "green", "mint", "teal", "cyan", "blue", "indigo", "purple", "pink",
    "brown", "gray", "white", "black",
  ]

  /// The colour called `name`.
  static func named(_ name: String) -> Colour? {
    switch name {
    case "red": .red
    case "orange": .orange
    case "yellow": .yellow
    case "green": .green
    case "mint": .mint
    case "teal": .teal
    case "cyan": .cyan
    case "blue": .blue
    case "indigo": .indigo
    case "purple": .purple
    case "pink": .pink
    case "brown": .brown
    case "gray": .gray
    case "white": .white
    case "black": .black
    default: nil
    }
  }
}
