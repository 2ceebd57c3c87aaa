// SPDX-License-Identifier: MIT

import RowFiles
import Settings
import Testing

@Suite("Search paths")
struct SearchPathTests {
  private func directories(_ scope: Scope, _ environment: [String: String] = [:]) -> [String] {
    SearchPath.layers(for: scope) { environment[$0] }.map {
      $0.directory + ($0.isUserLayer ? " (user)" : "")
    }
  }

  @Test("of the system are the vendor's, the run-time's and the administrator's directories")
  func system() {
    let expected = ["/usr/share/toggled/rows", "/run/toggled/rows", "/etc/toggled/rows"]
    #expect(directories(.system) == expected)
    #expect(directories(.system, ["HOME": "/h", "XDG_DATA_DIRS": "/d"]) == expected)
  }

  @Test("of a session have the user's directory last")
  func session() {
    #expect(
      directories(.session, ["HOME": "/home/me"]) == [
        "/usr/share/toggled/rows", "/usr/local/share/toggled/rows", "/run/toggled/rows",
        "/etc/toggled/rows", "/home/me/.config/toggled/rows (user)",
      ])
  }

  @Test("of a session follow the XDG variables, the first data directory counting most")
  func variables() {
    #expect(
      directories(
        .session,
        ["HOME": "/home/me", "XDG_CONFIG_HOME": "/conf/", "XDG_DATA_DIRS": "/a:/b/:/c"]) == [
          "/c/toggled/rows", "/b/toggled/rows", "/a/toggled/rows", "/run/toggled/rows",
          "/etc/toggled/rows", "/conf/toggled/rows (user)",
        ])
  }

  @Test("of a session count data directories in the home directory as the user's own")
  func dataAtHome() {
    let data = "/home/me/.local/share:/home/melanie/share:/usr/share"
    #expect(
      directories(.session, ["HOME": "/home/me/", "XDG_DATA_DIRS": data]) == [
        "/usr/share/toggled/rows", "/home/melanie/share/toggled/rows",
        "/home/me/.local/share/toggled/rows (user)", "/run/toggled/rows", "/etc/toggled/rows",
        "/home/me/.config/toggled/rows (user)",
      ])
    #expect(
      directories(.session, ["HOME": "/", "XDG_DATA_DIRS": "/usr/share"]).first
        == "/usr/share/toggled/rows")
  }

  @Test("have layers without slashes at the end")
  func slashes() {
    #expect(CatalogueLayer("/a/b//").directory == "/a/b")
    #expect(CatalogueLayer("/").directory == "/")
    #expect(CatalogueLayer("").directory == "")
  }

  @Test("of a session ignore what is empty, relative or given twice")
  func odd() {
    #expect(
      directories(
        .session,
        ["HOME": "", "XDG_CONFIG_HOME": "conf", "XDG_DATA_DIRS": "rel:/a::/b:/a/"]) == [
          "/a/toggled/rows", "/b/toggled/rows", "/run/toggled/rows", "/etc/toggled/rows",
        ])
    #expect(
      directories(.session, ["HOME": "/h", "XDG_CONFIG_HOME": "", "XDG_DATA_DIRS": ""]).last
        == "/h/.config/toggled/rows (user)")
    #expect(directories(.session, ["XDG_CONFIG_HOME": "/etc"]).last == "/etc/toggled/rows")
    #expect(directories(.session, ["HOME": "/"]).last == "/.config/toggled/rows (user)")
  }
}
