// SPDX-License-Identifier: MIT

/// dconf, as every row over GSettings of a session has it.
package final class DConf {
  /// Tells of changes.
  let notices: DConfNotices
  /// Where keys lie.
  let paths: SchemaPaths
  /// The user's values; nil where they are elsewhere than is usual.
  let database: DConfDatabase?

  /// - Parameters:
  ///   - link: the way to the session bus.
  ///   - runner: runs `gsettings`.
  package init(link: BusLink, runner: ProgramRunner) {
    notices = DConfNotices(link: link)
    paths = SchemaPaths(runner)
    database = DConfDatabase(runner.environment)
  }
}
