// SPDX-License-Identifier: MIT

import DBusTypes
import Settings

/// What a daemon said of a section: the properties of `org.toggled.Section1`.
nonisolated struct SectionSnapshot: Hashable, Sendable {
  let scope: Scope
  let path: ObjectPath
  var id: String
  var title: LocalisedText
  var footer: LocalisedText
  var order: Int64 = 0

  /// A section as an `a{sv}` of its properties tells of it.
  init(_ scope: Scope, _ path: ObjectPath, _ properties: Value) {
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
