// SPDX-License-Identifier: MIT

package import Settings
import System

/// Validates row files without a daemon: `togglectl check`.
package enum Check {
  /// What is wrong with these files, each by itself; a directory stands for a search path of it
  /// alone, as for `--rows`.
  package static func files(_ paths: [String]) -> [Finding] {
    let files = DiskFiles()
    var findings: Set<Finding> = []
    for path in paths {
      if isSearchable(path) {
        let layers = [CatalogueLayer(path)]
        for scope in Scope.allCases { findings.formUnion(check(layers, scope, files)) }
        continue
      }
      let content = files.read(path)
      findings.formUnion(FileCheck.errors(in: content, at: path).map { Finding($0, .error) })
      findings.formUnion(FileCheck.warnings(in: content, at: path).map { Finding($0, .warning) })
    }
    return findings.sorted()
  }

  /// What is wrong in the search paths of these daemons; `environment` answers variables by name.
  package static func searchPaths(
    of scopes: [Scope] = Scope.allCases, environment: (String) -> String?
  ) -> [Finding] {
    var findings: Set<Finding> = []
    for scope in scopes {
      // The session's daemon takes files of anyone's: it can do no more than the user can.
      let files = DiskFiles(
        searchPath: environment("PATH"), owners: scope == .system ? [0] : nil)
      let layers = SearchPath.layers(for: scope, environment: environment)
      findings.formUnion(check(layers, scope, files))
    }
    return findings.sorted()
  }

  private static func check(
    _ layers: [CatalogueLayer], _ scope: Scope, _ files: DiskFiles
  ) -> [Finding] {
    let catalogue = Catalogue.load(layers: layers, scope: scope, from: files)
    return catalogue.errors.map { Finding($0, .error) }
      + catalogue.warnings.map { Finding($0, .warning) }
  }

  /// Whether `path` is a directory, and does not stand where a row file should be.
  private static func isSearchable(_ path: String) -> Bool {
    let name = PathParts(path).name
    let isRowFile = [".row", ".section", ".conf"].contains(where: name.hasSuffix)
    return !isRowFile && (try? Files.status(path))?.kind == .directory
  }
}
