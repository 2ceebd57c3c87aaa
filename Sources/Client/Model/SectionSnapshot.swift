// SPDX-License-Identifier: MIT

package import DBusTypes
package import Settings

/// What a daemon said of a section: the properties of `org.toggled.Section1`.
package nonisolated struct SectionSnapshot: Hashable, Sendable {
  package let scope: Scope
  package let path: ObjectPath
  package var id: String
  package var title: LocalisedText
  package var footer: LocalisedText
  package var order: Int64 = 0

  /// A section as an `a{sv}` of its properties tells of it.
  package init(_ scope: Scope, _ path: ObjectPath, _ properties: Value) {
    self.scope = scope
    self.path = path
    id = properties["Id"]?.asString ?? String(path.lastElement)
    title = LocalisedText(properties["Titles"])
    title.takeOwn(properties["Title"]?.asString ?? "")
    footer = LocalisedText(properties["Footers"])
    footer.takeOwn(properties["Footer"]?.asString ?? "")
    order = properties["Order"]?.asInteger ?? 0
  }
}
