// SPDX-License-Identifier: MIT

import Settings
import Testing

@Suite("Drop-ins and locks in a catalogue")
struct CatalogueDropInTests {
  private let layers = [
    CatalogueLayer("/usr"), CatalogueLayer("/etc"), CatalogueLayer("/home", isUserLayer: true),
  ]

  private func load(_ files: MemoryFiles, _ previous: Catalogue = Catalogue()) -> Catalogue {
    Catalogue.load(layers: layers, scope: .session, from: files, previous: previous)
  }

  private func load(_ texts: [String: String]) -> Catalogue {
    load(MemoryFiles(texts))
  }

  private func row(_ catalogue: Catalogue) throws -> RowDefinition? {
    catalogue.rows[try id("a")]
  }

  private func errors(_ catalogue: Catalogue) -> [String] {
    catalogue.errors.map(\.description)
  }

  // MARK: Drop-ins

  @Test("add and replace keys, sorted by name over all directories")
  func order() throws {
    let catalogue = load([
      "/usr/a.row": storedRow("A", "Title[es]=Aes"),
      "/usr/a.row.d/20.conf": "[Row]\nTitle=usr 20\nOrder=20\n",
      "/etc/a.row.d/10.conf": "[Row]\nTitle=etc 10\nSubtitle=etc 10\n",
      "/home/a.row.d/30.conf": "[Row]\nStyle=button\n",
    ])
    let row = try #require(try row(catalogue))
    #expect(row.title == LocalisedText("usr 20", translations: ["es": "Aes"]))
    #expect(row.subtitle.untranslated == "etc 10")
    #expect(row.order == 20)
    #expect(row.style == .button)
    #expect(row.file == "/usr/a.row")
    #expect(catalogue.errors.isEmpty)
    #expect(
      catalogue.directories == [
        "/usr", "/etc", "/home", "/etc/a.row.d", "/home/a.row.d", "/usr/a.row.d",
      ])
  }

  @Test("take the place of one of the same name below, and an empty one takes it away")
  func sameName() throws {
    var files = MemoryFiles([
      "/usr/a.row": storedRow("A"), "/usr/a.row.d/x.conf": "[Row]\nTitle=usr\nOrder=1\n",
      "/etc/a.row.d/x.conf": "[Row]\nTitle=etc\n",
    ])
    let replaced = try #require(try row(load(files)))
    #expect(replaced.title.untranslated == "etc")
    #expect(replaced.order == 0)
    files["/etc/a.row.d/x.conf"] = ""
    #expect(try row(load(files))?.title.untranslated == "A")
  }

  @Test("may add what the row's file lacks, and other files beside them do not count")
  func completing() throws {
    let catalogue = load([
      "/usr/a.row": "[Row]\nTitle=A\n", "/etc/a.row.d/x.conf": "[Backend]\nType=stored\n",
      "/etc/a.row.d/y.conf~": "nonsense", "/etc/a.row.d/.z.conf": "nonsense",
      "/etc/a.row.d/README": "nonsense",
    ])
    #expect(try row(catalogue) != nil)
    #expect(catalogue.errors.isEmpty)
  }

  @Test("that are wrong are reported with their own file and line, and dropped alone")
  func wrong() throws {
    let catalogue = load([
      "/usr/a.row": storedRow("A"),
      "/etc/a.row.d/10.conf": "[Row]\nTitle=10\n",
      "/etc/a.row.d/20.conf": "[Row]\nSubtitle=20\nOrder=x\n",
      "/etc/a.row.d/30.conf": "[Row]\nSubtitle=30\nnonsense\n",
      "/etc/a.row.d/40.conf": "[Row]\nColour=red\n[Backed]\nx=1\n",
      "/etc/a.row.d/50.conf": "[Row]\nStyle=button\n",
    ])
    let row = try #require(try row(catalogue))
    #expect(row.title.untranslated == "10")
    #expect(row.subtitle.untranslated == "")
    #expect(row.style == .button)
    #expect(
      catalogue.errors.map { "\($0.file):\($0.line)" } == [
        "/etc/a.row.d/20.conf:3", "/etc/a.row.d/30.conf:3", "/etc/a.row.d/40.conf:2",
        "/etc/a.row.d/40.conf:3",
      ])
  }

  @Test("that make the row wrong in its own file are named as the cause")
  func offender() throws {
    let catalogue = load([
      "/usr/a.row": "[Row]\nTitle=A\n[Backend]\nType=file\nPath=/a\n",
      "/etc/a.row.d/10.conf": "[Row]\nTitle=10\n",
      "/etc/a.row.d/20.conf": "[Backend]\nType=stored\n",
      "/etc/a.row.d/30.conf": "[Row]\nOrder=30\n",
    ])
    let row = try #require(try row(catalogue))
    #expect(row.title.untranslated == "10")
    #expect(row.order == 30)
    #expect(row.backend.typeName == "file")
    #expect(
      errors(catalogue) == [
        "/etc/a.row.d/20.conf: the row is wrong with this drop-in: /usr/a.row:5: Type=stored has "
          + "no key 'Path'; expected Invert or Type"
      ])
  }

  @Test("that depend on each other are taken together")
  func together() throws {
    let catalogue = load([
      "/usr/a.row": storedRow("A"), "/etc/a.row.d/10.conf": "[Row]\nLocked=true\n",
      "/etc/a.row.d/20.conf": "[Row]\nDefault=on\n",
    ])
    #expect(try row(catalogue)?.isLocked == true)
    #expect(catalogue.errors.isEmpty)
  }

  @Test("do not save a row whose own file is wrong")
  func wrongBase() throws {
    let catalogue = load([
      "/usr/a.row": storedRow("A", "Order=x"), "/etc/a.row.d/10.conf": "[Row]\nTitle=10\n",
    ])
    #expect(try row(catalogue) == nil)
    #expect(catalogue.errors.map { "\($0.file):\($0.line)" } == ["/usr/a.row:3"])
  }

  @Test("without a row are a warning")
  func orphan() {
    let catalogue = load(["/etc/a.row.d/10.conf": "[Row]\nTitle=10\n"])
    #expect(catalogue.rows.isEmpty)
    #expect(catalogue.errors.isEmpty)
    #expect(
      catalogue.warnings.map(\.description) == [
        "/etc/a.row.d: there is no row 'a' for these drop-ins; expected a.row"
      ])
  }

  @Test("of a row of the other bus are reported by the daemon there")
  func otherBus() throws {
    let files = MemoryFiles([
      "/usr/a.row": storedRow("A", "Bus=system"), "/etc/a.row.d/10.conf": "nonsense\n",
      "/etc/a.row.d/20.conf": "[Row]\nOrder=x\n",
    ])
    #expect(load(files).errors.isEmpty)
    let system = Catalogue.load(layers: layers, scope: .system, from: files)
    #expect(system.errors.map(\.file) == ["/etc/a.row.d/10.conf", "/etc/a.row.d/20.conf"])
  }

  @Test("in a directory that can't be read are reported")
  func unreadable() throws {
    var files = MemoryFiles([
      "/usr/a.row": storedRow("A"), "/etc/a.row.d/10.conf": "[Row]\nTitle=10\n",
    ])
    files.unreadableDirectories["/etc/a.row.d"] = "permission denied"
    let catalogue = load(files)
    #expect(try row(catalogue)?.title.untranslated == "A")
    #expect(errors(catalogue) == ["/etc/a.row.d: the directory can't be read: permission denied"])
  }

  // MARK: Locks

  private let locked = storedRow("A", "Locked=true", "Default=on")

  @Test("A row that is not locked may be replaced, masked and amended by the user")
  func unlocked() throws {
    let texts = ["/etc/a.row": storedRow("A")]
    let replaced = load(texts.merging(["/home/a.row": storedRow("Mine")]) { $1 })
    #expect(try row(replaced)?.title.untranslated == "Mine")
    #expect(try row(load(texts.merging(["/home/a.row": ""]) { $1 })) == nil)
    let amended = load(texts.merging(["/home/a.row.d/x.conf": "[Row]\nTitle=Mine\n"]) { $1 })
    #expect(try row(amended)?.title.untranslated == "Mine")
    #expect(replaced.errors.isEmpty && amended.errors.isEmpty)
  }

  @Test(
    "A locked row stays as the administrator has it",
    arguments: [
      (
        "/home/a.row", storedRow("Mine"),
        "/home/a.row: the row 'a' is locked by the administrator and can't be replaced here"
      ),
      (
        "/home/a.row", storedRow("Mine", "Bus=system"),
        "/home/a.row: the row 'a' is locked by the administrator and can't be replaced here"
      ),
      (
        "/home/a.row", storedRow("Mine", "Hidden=true"),
        "/home/a.row: the row 'a' is locked by the administrator and can't be replaced here"
      ),
      (
        "/home/a.row", "not a row file",
        "/home/a.row: the row 'a' is locked by the administrator and can't be replaced here"
      ),
      (
        "/home/a.row", "",
        "/home/a.row: the row 'a' is locked by the administrator and can't be masked here"
      ),
      (
        "/home/a.row.d/x.conf", "[Row]\nLocked=false\n",
        "/home/a.row.d/x.conf: the row 'a' is locked by the administrator and can't be amended here"
      ),
      (
        "/home/a.row.d/zz.conf", "[Row]\nDefault=off\nHidden=true\nTryExec=nothing\nSection=x\n",
        "/home/a.row.d/zz.conf: the row 'a' is locked by the administrator and can't be amended "
          + "here"
      ),
      (
        "/home/a.row.d/x.conf", "",
        "/home/a.row.d/x.conf: the row 'a' is locked by the administrator and can't be amended here"
      ),
    ])
  func lock(_ path: String, _ text: String, _ expected: String) throws {
    for administrators in [
      ["/usr/a.row": locked], ["/run/a.row": locked], ["/etc/a.row": locked],
      ["/usr/a.row": storedRow("A"), "/etc/a.row.d/l.conf": "[Row]\nLocked=true\nDefault=on\n"],
    ] {
      let catalogue = Catalogue.load(
        layers: [CatalogueLayer("/run")] + layers, scope: .session,
        from: MemoryFiles(administrators.merging([path: text]) { $1 }))
      #expect(try row(catalogue)?.isLocked == true)
      #expect(try row(catalogue)?.title.untranslated == "A")
      #expect(errors(catalogue) == [expected])
    }
  }

  @Test("A user's row of the session bus can't stand in for a locked one of the system bus")
  func lockedOnOtherBus() throws {
    let system = storedRow("A", "Bus=system", "Locked=true", "Default=off")
    let catalogue = load(["/etc/a.row": system, "/home/a.row": storedRow("Mine")])
    #expect(try row(catalogue) == nil)
    #expect(
      errors(catalogue) == [
        "/home/a.row: the row 'a' is locked by the administrator and can't be replaced here"
      ])
  }

  @Test("A user's drop-in can't stand in for the one that locks")
  func sameNamedLock() throws {
    let catalogue = load([
      "/usr/a.row": storedRow("A"), "/etc/a.row.d/l.conf": "[Row]\nLocked=true\nDefault=on\n",
      "/home/a.row.d/l.conf": "[Row]\nOrder=1\n",
    ])
    #expect(try row(catalogue)?.isLocked == true)
    #expect(try row(catalogue)?.order == 0)
  }

  @Test("The administrator may take a lock away")
  func unlocking() throws {
    let catalogue = load([
      "/usr/a.row": locked, "/etc/a.row": storedRow("A"), "/home/a.row": storedRow("Mine"),
    ])
    #expect(try row(catalogue)?.title.untranslated == "Mine")
    #expect(catalogue.errors.isEmpty)
  }

  @Test("A file of the administrator's that is wrong but says Locked still locks")
  func wrongLock() throws {
    let catalogue = load([
      "/usr/a.row": storedRow("Unlocked"), "/etc/a.row": storedRow("A", "Locked=true"),
      "/home/a.row": storedRow("Mine"),
    ])
    #expect(try row(catalogue) == nil)
    #expect(
      errors(catalogue) == [
        "/etc/a.row:1: Default is missing in [Row]; expected on or off, the value that Locked=true "
          + "holds the row at",
        "/home/a.row: the row 'a' is locked by the administrator and can't be replaced here",
      ])
  }

  @Test("A user's own row may lock itself")
  func ownLock() throws {
    let catalogue = load(["/home/a.row": locked, "/home/a.row.d/x.conf": "[Row]\nTitle=B\n"])
    #expect(try row(catalogue)?.title.untranslated == "B")
    #expect(catalogue.errors.isEmpty)
  }

  @Test("A user's row for the system bus is reported: its daemon reads no user's directory")
  func systemRowInHome() throws {
    let catalogue = load([
      "/usr/a.row": storedRow("A"), "/home/a.row": storedRow("Mine", "Bus=system"),
    ])
    #expect(try row(catalogue)?.title.untranslated == "A")
    #expect(
      errors(catalogue) == [
        "/home/a.row:3: the row is for the system bus, whose daemon does not read this directory; "
          + "expected Bus=session"
      ])
  }

  // MARK: Reloading

  @Test("On a reload a file that became wrong keeps its version before, and is reported")
  func keeps() throws {
    var files = MemoryFiles([
      "/usr/a.row": storedRow("Lower"), "/etc/a.row": storedRow("A"),
      "/usr/s.section": "[Section]\nTitle=S\n", "/usr/b.row": storedRow("B", "Section=s"),
    ])
    let first = load(files)
    files["/etc/a.row"] = storedRow("A", "Order=x")
    files["/usr/s.section"] = "[Section]\n"
    files["/usr/b.row"] = storedRow("B2", "Section=s")
    let second = load(files, first)
    #expect(try row(second) == row(first))
    #expect(second.sections == first.sections)
    #expect(second.rows[try id("b")]?.title.untranslated == "B2")
    #expect(second.errors.map { "\($0.file):\($0.line)" } == ["/etc/a.row:3", "/usr/s.section:1"])
    // And again from there, until it is mended.
    let third = load(files, second)
    #expect(try row(third) == row(first))
    #expect(third.errors == second.errors)
    files["/etc/a.row"] = storedRow("Mended")
    files["/usr/s.section"] = "[Section]\nTitle=T\n"
    let fourth = load(files, third)
    #expect(try row(fourth)?.title.untranslated == "Mended")
    #expect(fourth.errors.isEmpty)
  }

  @Test("On a reload a new file that is wrong has no version before")
  func keepsOnlyItsOwn() throws {
    var files = MemoryFiles(["/usr/a.row": storedRow("Lower")])
    let first = load(files)
    files["/etc/a.row"] = "nonsense"
    files["/usr/a.row"] = storedRow("Lower 2")
    #expect(try row(load(files, first))?.title.untranslated == "Lower 2")
  }

  @Test("On a reload a row that was deleted or masked is gone")
  func deletes() throws {
    var files = MemoryFiles(["/etc/a.row": storedRow("A")])
    let first = load(files)
    files["/etc/a.row"] = ""
    #expect(try row(load(files, first)) == nil)
    files["/etc/a.row"] = nil
    #expect(try row(load(files, first)) == nil)
  }

  @Test("On a reload a hidden row whose file became wrong stays hidden")
  func keepsHidden() throws {
    var files = MemoryFiles([
      "/usr/a.row": storedRow("A"), "/home/a.row": storedRow("A", "Hidden=true"),
    ])
    let first = load(files)
    #expect(try row(first) == nil)
    files["/home/a.row"] = "nonsense"
    #expect(try row(load(files, first)) == nil)
  }

  @Test("On a reload a drop-in that became wrong keeps its version before")
  func keepsDropIn() throws {
    var files = MemoryFiles([
      "/usr/a.row": storedRow("A"), "/etc/a.row.d/l.conf": "[Row]\nLocked=true\nDefault=on\n",
    ])
    let first = load(files)
    for wrong in ["nonsense\n", "[Row]\nLocked=true\nDefault=yes\n", "[Row]\nLocked=true\n"] {
      files["/etc/a.row.d/l.conf"] = wrong
      let second = load(files, first)
      #expect(try row(second)?.isLocked == true)
      #expect(try row(second)?.defaultValue == true)
      #expect(second.errors.count == 1)
      #expect(try row(load(files, second))?.isLocked == true)
    }
    files["/etc/a.row.d/l.conf"] = nil
    #expect(try row(load(files, first))?.isLocked == false)
  }
}
