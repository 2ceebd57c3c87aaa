// SPDX-License-Identifier: MIT

import DBusTypes
import Settings

/// What a row looks like, as the bus shows it: made once from the row's file, then only read.
nonisolated struct RowFace {
  let title: String
  let subtitle: String
  let titles: [String: String]
  let subtitles: [String: String]
  let keywords: [String]
  let section: ObjectPath
  let order: Int32
  let symbol: String
  let onSymbol: String
  let offSymbol: String
  let iconColour: String
  let switchColour: String
  let iconForeground: String
  let style: String
  let backend: String
  let isAssumed: Bool

  init(_ definition: RowDefinition, locale: Locale) {
    title = definition.title.text(for: locale)
    subtitle = definition.subtitle.text(for: locale)
    titles = definition.title.all
    subtitles = definition.subtitle.all
    keywords = definition.keywords.all
    section = .section(definition.section)
    order = definition.order
    symbol = definition.symbol
    onSymbol = definition.onSymbol
    offSymbol = definition.offSymbol
    iconColour = definition.iconColour.hex
    switchColour = definition.switchColour.hex
    iconForeground = definition.iconColour.foreground.hex
    style = definition.style.rawValue
    backend = definition.backend.typeName
    isAssumed = definition.backend.isAssumed
  }

  /// The properties in which this differs from `other`.
  func difference(from other: RowFace) -> [MemberName] {
    var names: [MemberName] = []
    func compare<Content: Equatable>(_ name: MemberName, _ content: KeyPath<RowFace, Content>) {
      if self[keyPath: content] != other[keyPath: content] { names.append(name) }
    }
    compare("Title", \.title)
    compare("Subtitle", \.subtitle)
    compare("Titles", \.titles)
    compare("Subtitles", \.subtitles)
    compare("Keywords", \.keywords)
    compare("Section", \.section)
    compare("Order", \.order)
    compare("Symbol", \.symbol)
    compare("OnSymbol", \.onSymbol)
    compare("OffSymbol", \.offSymbol)
    compare("IconColor", \.iconColour)
    compare("SwitchColor", \.switchColour)
    compare("IconForeground", \.iconForeground)
    compare("Style", \.style)
    compare("Backend", \.backend)
    compare("Assumed", \.isAssumed)
    return names
  }
}
