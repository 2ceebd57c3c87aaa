// SPDX-License-Identifier: MIT

import Settings

/// Puts colours and weights on text for a terminal that has so many colours. Taking the escape
/// sequences away leaves the text as it is without colours: they decorate, they never inform.
nonisolated struct Palette: Sendable {
  let depth: ColourDepth

  init(_ depth: ColourDepth) {
    self.depth = depth
  }

  func bold(_ text: String) -> String { styled(text, "1") }

  func dim(_ text: String) -> String { styled(text, "2") }

  /// For what needs attention.
  func warning(_ text: String) -> String { styled(text, "33") }

  /// The text in a colour, or the one nearest to it that the terminal has.
  func coloured(_ text: String, _ colour: Colour?) -> String {
    guard let colour else { return text }
    switch depth {
    case .none: return text
    case .eight: return styled(text, "3\(Self.eight(colour))")
    case .twoHundredFiftySix: return styled(text, "38;5;\(Self.twoHundredFiftySix(colour))")
    case .full: return styled(text, "38;2;\(colour.red);\(colour.green);\(colour.blue)")
    }
  }

  private func styled(_ text: String, _ parameters: String) -> String {
    depth == .none || text.isEmpty ? text : "\u{1b}[\(parameters)m\(text)\u{1b}[0m"
  }

  // MARK: - The nearest colour

  /// One of black, red, green, yellow, blue, magenta, cyan, white, chosen by hue: terminals differ
  /// in what they show for these, so a distance between channels would mean little.
  private static func eight(_ colour: Colour) -> Int {
    let (red, green, blue) = (Double(colour.red), Double(colour.green), Double(colour.blue))
    let (most, least) = (max(red, green, blue), min(red, green, blue))
    let range = most - least
    if range < 0.2 * most || most < 40 { return most < 90 ? 0 : 7 }
    var sixths: Double
    if most == red {
      sixths = (green - blue) / range
    } else if most == green {
      sixths = (blue - red) / range + 2
    } else {
      sixths = (red - green) / range + 4
    }
    if sixths < 0 { sixths += 6 }
    let aroundTheWheel = [1, 3, 2, 6, 4, 5]
    return aroundTheWheel[Int(sixths.rounded()) % 6]
  }

  /// The nearest of the 6×6×6 cube (16 to 231) and the 24 greys (232 to 255).
  private static func twoHundredFiftySix(_ colour: Colour) -> Int {
    let channels = [Int(colour.red), Int(colour.green), Int(colour.blue)]
    let steps = channels.map { channel in
      cube.indices.min { abs(cube[$0] - channel) < abs(cube[$1] - channel) } ?? 0
    }
    let grey = min(23, max(0, (channels.reduce(0, +) / 3 - 3) / 10))
    let toCube = distance(channels, steps.map { cube[$0] })
    let toGrey = distance(channels, Array(repeating: 8 + 10 * grey, count: 3))
    return toGrey < toCube ? 232 + grey : 16 + 36 * steps[0] + 6 * steps[1] + steps[2]
  }

  private static let cube = [0, 95, 135, 175, 215, 255]

  private static func distance(_ one: [Int], _ other: [Int]) -> Int {
    zip(one, other).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
  }
}
