// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Settings

/// A section on the bus.
final class SectionObject {
  private(set) var definition: SectionDefinition
  private let locale: Locale

  init(_ definition: SectionDefinition, locale: Locale) {
    self.definition = definition
    self.locale = locale
  }

  /// Takes a changed definition, and says which properties became others by it.
  func redefine(_ definition: SectionDefinition) -> [MemberName] {
    let (old, oldTitle, oldFooter) = (self.definition, title, footer)
    self.definition = definition
    var names: [MemberName] = []
    if title != oldTitle { names.append("Title") }
    if definition.title != old.title { names.append("Titles") }
    if footer != oldFooter { names.append("Footer") }
    if definition.footer != old.footer { names.append("Footers") }
    if definition.order != old.order { names.append("Order") }
    return names
  }

  private var title: String { definition.title.text(for: locale) }
  private var footer: String { definition.footer.text(for: locale) }

  /// org.toggled.Section1, declared once for all sections.
  static let table = InterfaceTable<SectionObject>(
    .section,
    properties: [
      .readOnly("Id", .constant) { $0.definition.id.rawValue },
      .readOnly("Title") { $0.title },
      .readOnly("Titles") { $0.definition.title.all },
      .readOnly("Footer") { $0.footer },
      .readOnly("Footers") { $0.definition.footer.all },
      .readOnly("Order") { $0.definition.order },
    ])
}
