// SPDX-License-Identifier: MIT

package import Settings

/// The directories that row files are read from, in order; a later one wins (toggled.row(5)).
package enum SearchPath {
  /// The layers of the daemon of `scope`.
  ///
  /// `environment` answers variables by name. By the XDG Base Directory Specification a variable
  /// that is empty counts as not set, a path that is not absolute does not count, and the first
  /// of XDG_DATA_DIRS is the most important.
  package static func layers(
    for scope: Scope, environment: (String) -> String?
  ) -> [CatalogueLayer] {
    switch scope {
    case .system: layers(data: ["/usr/share"])
    case .session: sessionLayers(environment)
    }
  }

  private static func sessionLayers(_ environment: (String) -> String?) -> [CatalogueLayer] {
    func variable(_ name: String) -> String? {
      environment(name).flatMap { $0.isEmpty ? nil : $0 }
    }
    let data = (variable("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share")
      .split(separator: ":").compactMap { absolute(String($0)) }
    var layers = layers(data: data.reversed())
    let home = variable("HOME").flatMap(absolute)
    if let home, home != "/" {
      // Such as what Flatpak adds: no administrator's, and below no lock of one.
      for index in layers.indices where layers[index].directory.hasPrefix(under(home, "")) {
        layers[index].isUserLayer = true
      }
    }
    let configuration =
      variable("XDG_CONFIG_HOME").flatMap(absolute) ?? home.map { under($0, ".config") }
    if let configuration {
      let directory = rows(configuration)
      if !layers.contains(where: { $0.directory == directory }) {
        layers.append(CatalogueLayer(directory, isUserLayer: true))
      }
    }
    return layers
  }

  /// The layers of the administrator, each directory at its first place alone.
  private static func layers(data: [String]) -> [CatalogueLayer] {
    var seen: Set<String> = []
    return (data + ["/run", "/etc"]).map(rows).filter { seen.insert($0).inserted }
      .map { CatalogueLayer($0) }
  }

  private static func rows(_ directory: String) -> String {
    under(directory, "toggled/rows")
  }

  private static func under(_ directory: String, _ name: String) -> String {
    directory == "/" ? "/" + name : directory + "/" + name
  }

  /// `path` without slashes at its end, where it is absolute.
  private static func absolute(_ path: String) -> String? {
    guard path.utf8.first == UInt8(ascii: "/") else { return nil }
    var bytes = Substring(path).utf8
    while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    return String(Substring(bytes))
  }
}
