// SPDX-License-Identifier: MIT

import Testing

@testable import Settings

/// What becomes of rows and locks where others than root could change the files.
@Suite("A catalogue of files that others could change")
struct CatalogueTrustTests {
  private static let weakness = "/etc may be written by others (mode 0777); chmod go-w /etc"
  private let lock = "[Row]\nLocked=true\nDefault=off\n"

  private func load(_ files: MemoryFiles, _ previous: Catalogue = Catalogue()) -> Catalogue {
    Catalogue.load(
      layers: [CatalogueLayer("/usr"), CatalogueLayer("/etc")], scope: .session, from: files,
      previous: previous)
  }

  private func titles(_ catalogue: Catalogue) -> [String] {
    catalogue.order.compactMap { catalogue.rows[$0]?.title.untranslated }
  }

  /// A row of each kind, which /etc changes, masks, adds and locks.
  private var files: MemoryFiles {
    MemoryFiles([
      "/usr/lamp.row": storedRow("Lamp"), "/etc/lamp.row.d/lock.conf": lock,
      "/usr/fan.row": storedRow("Fan"), "/etc/fan.row": "",
      "/usr/own.row": storedRow("Replaced"), "/etc/own.row": storedRow("Own", "Section=home"),
      "/etc/home.section": "[Section]\nTitle=Home\n",
      "/usr/held.row": storedRow("Free"), "/etc/held.row": "[Row]\nLocked=true\nTitle=x\n",
    ])
  }

  @Test("keeps the rows, sections, drop-ins, masks and locks that it read before, and says so once")
  func slip() throws {
    let sound = load(files)
    #expect(titles(sound) == ["Own", "Lamp"])
    #expect(sound.rows[try id("lamp")]?.lockFile == "/etc/lamp.row.d/lock.conf")
    var open = files
    open.untrustedDirectories["/etc"] = Self.weakness
    open.untrustedDirectories["/etc/lamp.row.d"] = Self.weakness
    var catalogue = load(open, sound)
    // Whoever could do that has done it.
    open["/etc/lamp.row.d/lock.conf"] = nil
    open["/etc/lamp.row.d/mine.conf"] = "[Row]\nLocked=false\nTitle=Mine\n"
    open["/etc/fan.row"] = storedRow("Unmasked")
    open["/etc/own.row"] = storedRow("Theirs")
    open["/etc/new.row"] = storedRow("New")
    open["/etc/held.row"] = nil
    for _ in 0..<2 {
      #expect(catalogue.rows == sound.rows)
      #expect(catalogue.sections == sound.sections)
      let news = catalogue.errors.filter { !sound.errors.contains($0) }
      #expect(
        news.map(\.description) == [
          "/etc: what was read here before counts until this is mended, so look at it first, as "
            + "others than root could change it: \(Self.weakness)"
        ])
      #expect(news.map(\.mayLoseLock) == [false])
      catalogue = load(open, catalogue)
    }
    // What is root's alone counts as ever, and so does all once it is that again.
    open["/usr/own.row"] = storedRow("Below")
    open["/usr/more.row"] = storedRow("More")
    catalogue = load(open, catalogue)
    #expect(titles(catalogue) == ["Own", "Lamp", "More"])
    open.untrustedDirectories = [:]
    catalogue = load(open, catalogue)
    #expect(titles(catalogue) == ["Unmasked", "Free", "Mine", "More", "New", "Theirs"])
    #expect(catalogue.rows.values.allSatisfy { !$0.isLocked } && catalogue.errors.isEmpty)
  }

  @Test("loses what was in a directory that is removed")
  func removed() {
    var open = files
    let sound = load(open)
    open.untrustedDirectories["/etc"] = Self.weakness
    let kept = load(open, sound)
    open.untrustedDirectories = [:]
    for path in open.contents.keys where path.hasPrefix("/etc/") { open.contents[path] = nil }
    #expect(titles(load(open, kept)) == ["Fan", "Free", "Lamp", "Replaced"])
  }

  @Test("keeps the drop-ins of one directory, and takes those of another")
  func dropIns() throws {
    var open = files
    let sound = load(open)
    open.untrustedDirectories["/etc/lamp.row.d"] = Self.weakness
    open["/etc/lamp.row.d/lock.conf"] = nil
    open["/etc/lamp.row.d/theirs.conf"] = "[Row]\nTitle=Theirs\n"
    open["/usr/lamp.row.d/title.conf"] = "[Row]\nTitle=Light\n"
    let row = try #require(load(open, sound).rows[try id("lamp")])
    #expect(row.isLocked && row.title.untranslated == "Light")
  }

  @Test(
    "keeps what single files said, masks among them",
    arguments: [FileContent.untrusted("w"), .unreadable("too many open files")])
  func singleFiles(_ content: FileContent) {
    var open = files
    let sound = load(open)
    let paths = open.contents.keys.filter { $0.hasPrefix("/etc/") }.sorted()
    for path in paths { open.contents[path] = content }
    var catalogue = sound
    for _ in 0..<2 {
      catalogue = load(open, catalogue)
      #expect(catalogue.rows == sound.rows)
      #expect(catalogue.sections == sound.sections)
      #expect(Set(catalogue.errors.map(\.file)) == Set(paths))
    }
  }

  @Test("has nothing to keep at first, and says which row's lock may be lost")
  func start() {
    var open = files
    open.untrustedDirectories["/etc"] = Self.weakness
    let blind = load(open)
    #expect(titles(blind) == ["Fan", "Free", "Lamp", "Replaced"])
    #expect(
      blind.errors.map(\.description) == [
        "/etc: nothing here is read, not even a lock, as others than root could change it: "
          + Self.weakness
      ])
    open.untrustedDirectories = ["/etc/lamp.row.d": "w"]
    open.contents["/etc/held.row"] = .untrusted("w")
    let errors = load(open).errors
    #expect(
      errors.map(\.description)
        == ["held.row", "lamp.row.d"].map {
          "/etc/\($0): nothing here is read, not even a lock of row '\($0.prefix(4))', "
            + "as others than root could change it: w"
        })
    #expect((blind.errors + errors).map(\.mayLoseLock) == [true, true, true])
    // Nothing of it counts later either, until it is sound.
    #expect(titles(load(open, blind)) == ["Own", "Free", "Lamp"])
  }
}
