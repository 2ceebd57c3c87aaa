// SPDX-License-Identifier: MIT

/// What a row's file and its drop-ins say, complete and checked.
package struct RowDefinition: Hashable, Sendable {
  /// The id, from the file's name.
  package var id: RowID
  /// The path of the file, without the drop-ins.
  package var file: String

  /// The short name for people.
  package var title: LocalisedText
  /// What it does, in a few words; "" for none.
  package var subtitle: LocalisedText
  /// `other` for a row that names none.
  package var section: SectionID = .other
  /// The place within the section; ties sort by id.
  package var order: Int32 = 0
  /// The row's freedesktop icon name; "" for none.
  package var symbol = ""
  /// The knob's icon name while the row is on.
  package var onSymbol = RowDefinition.standardOnSymbol
  /// The knob's icon name while the row is off.
  package var offSymbol = RowDefinition.standardOffSymbol
  /// The colour of the icon's square.
  package var iconColour = Colour.blue
  /// The colour of the switch while the row is on.
  package var switchColour = Colour.green
  /// How the control looks.
  package var style = Style.automatic
  /// Words to find the row by, in all languages.
  package var keywords = LocalisedList()

  /// The bus the row is published on.
  package var scope = Scope.session
  /// The value that Reset goes back to, and a locked row is held at.
  package var defaultValue: Bool?
  /// The path of the file or drop-in that fixes the value; nil where none does. Where one does,
  /// there is a default value.
  package var lockFile: String?
  /// Whether the administrator has fixed the value.
  package var isLocked: Bool { lockFile != nil }
  /// How long a flip may take until it is confirmed.
  package var timeout = RowDefinition.standardTimeout
  /// The polkit action that a flip needs, on the system bus alone; nil for the daemon's own.
  package var polkitAction: String?
  /// The polkit action that a flip takes on the system bus, but for parts that name their own.
  package var flipAction: String { polkitAction ?? PolkitAction.flip }
  /// The program and its arguments to run when the state changes, on the session bus alone; empty
  /// for none.
  package var runOnChange: [String] = []
  /// A program without which the row is not published.
  package var tryExec: String?
  /// Whether the row is not published at all.
  package var isHidden = false

  /// What is behind the row.
  package var backend: BackendDefinition
  /// When the row flips by itself.
  package var schedule: ScheduleDefinition?
  /// The setting that applications see.
  package var portal: PortalDefinition?

  /// A row with the defaults of every key that is not given.
  package init(
    id: RowID, file: String = "", title: LocalisedText, subtitle: LocalisedText = LocalisedText(""),
    backend: BackendDefinition = BackendDefinition(.stored)
  ) {
    self.id = id
    self.file = file
    self.title = title
    self.subtitle = subtitle
    self.backend = backend
  }

  /// OnSymbol where the file has none.
  package static let standardOnSymbol = "object-select-symbolic"
  /// OffSymbol where the file has none.
  package static let standardOffSymbol = "window-close-symbolic"
  /// Timeout where the file has none.
  package static let standardTimeout = Duration.seconds(10)
}
