// SPDX-License-Identifier: MIT

extension RowDefinition {
  /// The groups that a row file may have besides `X-` ones.
  private static let groups = ["Row", "Backend", "Schedule", "Portal"]

  /// What Default may be.
  private enum Word: String, CaseIterable {
    case on, off
  }

  /// Reads a row file, drop-ins already in it; nil where anything is wrong with it, which is noted
  /// in `findings`.
  ///
  /// As a fragment, a drop-in by itself, nothing is missing and the result means nothing.
  static func read(
    _ source: RowFile, id: RowID, isFragment: Bool = false, findings: inout Findings
  ) -> RowDefinition? {
    checkGroups(source, isFragment: isFragment, &findings)
    let parts = source.groups.filter { $0.name.hasPrefix(PartDefinition.groupPrefix) }
    func read<Result>(_ group: RowFile.Group, _ body: (inout GroupReader) -> Result) -> Result {
      var reader = GroupReader(
        group, subgroups: parts, isFragment: isFragment, findings: findings)
      let result = body(&reader)
      findings = reader.findings
      return result
    }
    var row = RowDefinition(id: id, file: source.file, title: LocalisedText(""))
    if let group = source.group("Row") {
      read(group) { row.readRow(&$0) }
    } else if !isFragment {
      findings.add(
        Place(file: source.file, line: 0), "the group [Row] is missing; expected Title= in it")
    }
    if let group = source.group("Backend") {
      if isFragment, !group.hasType {
        checkBackendFragment(group, row, isPart: false, &findings)
      } else if let backend = read(
        group,
        {
          BackendDefinition.read(&$0, id: id, scope: row.scope)
        })
      {
        row.backend = backend
      }
    } else if !isFragment {
      findings.add(
        Place(file: source.file, line: 0), "the group [Backend] is missing; expected Type= in it")
    }
    for group in isFragment ? parts : [] {
      if group.hasType {
        _ = read(group) {
          BackendDefinition.read(&$0, id: id, scope: row.scope, isPart: true)
        }
      } else {
        checkBackendFragment(group, row, isPart: true, &findings)
      }
    }
    if let group = source.group("Schedule") {
      row.schedule = read(group) { ScheduleDefinition.read(&$0) }
    }
    if let group = source.group("Portal") {
      row.portal = read(group) { PortalDefinition.read(&$0) }
      if row.scope == .system {
        findings.add(
          group.place, "[Portal] stands in a row of the system bus; expected Bus=session")
      }
    }
    return findings.isEmpty ? row : nil
  }

  private static func checkGroups(
    _ source: RowFile, isFragment: Bool, _ findings: inout Findings
  ) {
    let type = source.group("Backend")?.entries.first { $0.key == "Type" }?.value
    // Without a word about the type a drop-in may be one to any.
    let hasParts = type.map { BackendType(rawValue: $0)?.hasParts ?? false } ?? isFragment
    for group in source.groups where !groups.contains(group.name) {
      if hasParts, group.name.hasPrefix(PartDefinition.groupPrefix) { continue }
      let nearest = suggestion(for: group.name, among: groups)
      let expected =
        nearest.map { "did you mean [\($0)]?" }
        ?? "expected \(listed(groups.map { "[\($0)]" }))"
      findings.add(
        group.place, "there is no group [\(shortened(group.name))] in a row; \(expected)")
    }
  }

  /// A [Backend] without Type, or a part's group, has to fit some type; the one that has most of
  /// its keys says what is wrong.
  private static func checkBackendFragment(
    _ group: RowFile.Group, _ row: RowDefinition, isPart: Bool,
    _ findings: inout Findings
  ) {
    let types = isPart ? BackendType.ofParts : BackendType.allCases
    let attempts = types.map { type in
      var reader = GroupReader(group, isFragment: true, findings: Findings())
      _ = BackendDefinition.read(&reader, type: type, id: row.id, scope: row.scope, isPart: isPart)
      return (unknown: reader.unknownKeys, errors: reader.findings.errors)
    }
    let best = attempts.min { ($0.unknown, $0.errors.count) < ($1.unknown, $1.errors.count) }
    for error in best?.errors ?? [] {
      findings.add(Place(file: error.file, line: error.line), error.message)
    }
  }

  private mutating func readRow(_ reader: inout GroupReader) {
    title = reader.title() ?? title
    subtitle = reader.localisedText("Subtitle") ?? subtitle
    keywords = reader.localisedList("Keywords") ?? keywords
    section =
      reader.value("Section", expected: "a section's id (\(identifierRule))") { SectionID($0) }
      ?? section
    order = reader.order()
    readLooks(&reader)
    scope = reader.word("Bus", of: Scope.self) ?? scope
    defaultValue = reader.word("Default", of: Word.self).map { $0 == .on }
    if reader.flag("Locked") == true { lockFile = reader.place(of: "Locked").file }
    if isLocked, !reader.has("Default") {
      reader.missing("Default", expected: "on or off, the value that Locked=true holds the row at")
    }
    timeout = reader.seconds("Timeout", most: 3600) ?? timeout
    readPrograms(&reader)
    isHidden = reader.flag("Hidden") ?? isHidden
    reader.finish()
  }

  private mutating func readLooks(_ reader: inout GroupReader) {
    func icon(_ key: String) -> String? {
      reader.value(key, expected: "an icon's name such as weather-clear-symbolic") {
        isWord($0, besides: "-_.+") ? $0 : nil
      }
    }
    func colour(_ key: String) -> Colour? {
      reader.value(key, expected: "#rrggbb or \(listed(Colour.names))") { Colour($0) }
    }
    symbol = icon("Symbol") ?? symbol
    onSymbol = icon("OnSymbol") ?? onSymbol
    offSymbol = icon("OffSymbol") ?? offSymbol
    iconColour = colour("IconColor") ?? iconColour
    switchColour = colour("SwitchColor") ?? switchColour
    style = reader.word("Style", of: Style.self) ?? style
  }

  private mutating func readPrograms(_ reader: inout GroupReader) {
    polkitAction = reader.polkitAction(scope)
    let command = reader.commandLine("RunOnChange")
    runOnChange = command ?? runOnChange
    if command != nil, scope == .system {
      reader.fail(
        "RunOnChange",
        "RunOnChange stands in a row of the system bus; "
          + "expected Bus=session")
    }
    tryExec = reader.value("TryExec", expected: "a program's name or absolute path") {
      CommandSyntax.isProgram($0) ? $0 : nil
    }
  }
}

/// What has to be known of a row file even where it is wrong.
extension RowFile {
  /// The bus that the file says its row is for, where that can be read; without a word, session.
  var declaredScope: Scope? {
    guard let row = group("Row") else { return nil }
    guard let entry = row.entries.first(where: { $0.key == "Bus" }) else { return .session }
    return Scope(rawValue: entry.value)
  }

  /// Whether the file says that its row is locked.
  var declaresLock: Bool {
    group("Row")?.entries.first { $0.key == "Locked" }?.value == "true"
  }
}

extension RowFile.Group {
  fileprivate var hasType: Bool { entries.contains { $0.key == "Type" } }
}
