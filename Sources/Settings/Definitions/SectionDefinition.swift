// SPDX-License-Identifier: MIT

/// What a section file says: a heading that rows stand under.
package struct SectionDefinition: Hashable, Sendable {
  /// The id, from the file's name.
  package var id: SectionID
  /// The path of the file; "" for the section `other` without one.
  package var file: String
  /// The heading.
  package var title: LocalisedText
  /// The small print below the rows; "" for none.
  package var footer: LocalisedText
  /// The place among the sections; ties sort by id.
  package var order: Int32

  /// A section, complete.
  package init(
    id: SectionID, file: String = "", title: LocalisedText,
    footer: LocalisedText = LocalisedText(""),
    order: Int32 = 0
  ) {
    self.id = id
    self.file = file
    self.title = title
    self.footer = footer
    self.order = order
  }

  /// The section of rows that name none, where no file describes it; it comes last.
  package static let other = SectionDefinition(
    id: .other, title: LocalisedText("Other", translations: ["es": "Otros"]), order: .max)
}

extension SectionDefinition {
  /// Reads a section file; nil where anything is wrong with it, which is noted in `findings`.
  static func read(_ source: RowFile, id: SectionID, findings: inout Findings)
    -> SectionDefinition?
  {
    for group in source.groups where group.name != "Section" {
      findings.add(
        group.place, "there is no group [\(shortened(group.name))] in a section; expected [Section]"
      )
    }
    guard let group = source.group("Section") else {
      findings.add(
        Place(file: source.file, line: 0), "the group [Section] is missing; expected Title= in it")
      return nil
    }
    var reader = GroupReader(group, isFragment: false, findings: findings)
    let title = reader.title()
    let footer = reader.localisedText("Footer") ?? LocalisedText("")
    let order = reader.order()
    reader.finish()
    findings = reader.findings
    guard findings.isEmpty, let title else { return nil }
    return SectionDefinition(
      id: id, file: source.file, title: title, footer: footer, order: order)
  }
}

extension GroupReader {
  /// The Title that rows and sections must have.
  mutating func title() -> LocalisedText? {
    let title = localisedText("Title")
    if !has("Title") { missing("Title", expected: "a short name for people") }
    if let title, title.untranslated.isEmpty {
      fail("Title", "Title is empty; expected a short name for people")
    }
    return title
  }

  /// The Order that rows and sections may have, 0 without.
  mutating func order() -> Int32 {
    value("Order", expected: "a whole number from \(Int32.min) to \(Int32.max)") {
      Int32($0)
    } ?? 0
  }
}
