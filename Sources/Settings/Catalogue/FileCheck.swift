// SPDX-License-Identifier: MIT

/// Checks one file by itself, as `togglectl check FILE` does.
///
/// What depends on other files is not looked at: whether a section has a file, whether a group's
/// members are there, and what a drop-in leaves to its row.
package enum FileCheck {
  /// What is wrong with the file at `path`, which tells by its name what kind of file it is.
  package static func errors(in content: FileContent, at path: String) -> [ConfigError] {
    let fail = { (message: String) in [ConfigError(file: path, line: 0, message: message)] }
    let parts = path.split(separator: "/")
    guard let name = parts.last.map(String.init) else {
      return fail("this is no file; expected a row file")
    }
    guard let kind = Kind(name, in: parts.dropLast().last.map(String.init)) else {
      return fail(
        "\(quoted(name)) is not the name of a row file; expected ID.row, ID.section "
          + "or ID.row.d/NAME.conf")
    }
    switch content.parsed(path) {
    case .missing: return fail("there is no such file; expected a row file")
    case .mask: return kind.nameErrors(path)
    case .wrong(_, let errors): return kind.nameErrors(path) + errors
    case .source(let source):
      return (kind.nameErrors(path) + kind.errors(in: source)).sorted()
    }
  }

  /// What in the file at `path` counts, and is hardly meant.
  package static func warnings(in content: FileContent, at path: String) -> [ConfigError] {
    guard case .source(let source) = content.parsed(path) else { return [] }
    return source.shellWarnings
  }

  /// A kind of file, with the part of its name that should be an id.
  private enum Kind {
    case row(Substring)
    case section(Substring)
    case dropIn(row: Substring)

    init?(_ name: String, in directory: String?) {
      if let stem = name.stem(before: ".row") {
        self = .row(stem)
      } else if let stem = name.stem(before: ".section") {
        self = .section(stem)
      } else if name.stem(before: ".conf") != nil, let stem = directory?.stem(before: ".row.d") {
        self = .dropIn(row: stem)
      } else {
        return nil
      }
    }

    private var stem: Substring {
      switch self {
      case .row(let stem), .section(let stem), .dropIn(let stem): stem
      }
    }

    func nameErrors(_ path: String) -> [ConfigError] {
      if isIdentifier(stem.utf8) { return [] }
      return [ConfigError(file: path, line: 0, message: badName(stem))]
    }

    func errors(in source: RowFile) -> [ConfigError] {
      var findings = Findings()
      switch self {
      case .row(let stem):
        _ = RowDefinition.read(source, id: RowID(orUnnamed: stem), findings: &findings)
      case .dropIn(let stem):
        _ = RowDefinition.read(
          source, id: RowID(orUnnamed: stem), isFragment: true, findings: &findings)
      case .section(let stem):
        _ = SectionDefinition.read(source, id: SectionID(stem) ?? .other, findings: &findings)
      }
      return findings.all(in: source.file)
    }
  }
}
