// SPDX-License-Identifier: MIT

import Settings
import Testing

@Suite("Catalogues")
struct CatalogueTests {
  private let layers = [CatalogueLayer("/usr"), CatalogueLayer("/run"), CatalogueLayer("/etc")]

  private func load(
    _ files: MemoryFiles, _ scope: Scope = .session, previous: Catalogue = Catalogue()
  ) -> Catalogue {
    Catalogue.load(layers: layers, scope: scope, from: files, previous: previous)
  }

  private func load(_ texts: [String: String], _ scope: Scope = .session) -> Catalogue {
    load(MemoryFiles(texts), scope)
  }

  private func titles(_ catalogue: Catalogue) -> [String] {
    catalogue.order.compactMap { catalogue.rows[$0]?.title.untranslated }
  }

  private func errors(_ catalogue: Catalogue) -> [String] {
    catalogue.errors.map(\.description)
  }

  // MARK: Layers

  @Test("of nothing are empty but for the section other")
  func empty() {
    let catalogue = load([:])
    #expect(catalogue.rows.isEmpty)
    #expect(catalogue.order.isEmpty)
    #expect(catalogue.sections == [.other: .other])
    #expect(catalogue.errors.isEmpty)
    #expect(catalogue.directories == ["/usr", "/run", "/etc"])
  }

  @Test("take a file of a later layer in place of one of the same name")
  func replacement() throws {
    let catalogue = load([
      "/usr/a.row": storedRow("A1"), "/run/a.row": storedRow("A2"), "/etc/a.row": storedRow("A3"),
      "/usr/b.row": storedRow("B1"), "/run/b.row": storedRow("B2"), "/usr/c.row": storedRow("C1"),
    ])
    #expect(titles(catalogue) == ["A3", "B2", "C1"])
    #expect(catalogue.rows[try id("a")]?.file == "/etc/a.row")
    #expect(catalogue.errors.isEmpty)
  }

  @Test("leave out a row that an empty file or a link to /dev/null masks")
  func masks() {
    var files = MemoryFiles([
      "/usr/a.row": storedRow("A"), "/usr/b.row": storedRow("B"), "/usr/c.row": storedRow("C"),
      "/etc/a.row": "",
    ])
    files.contents["/etc/b.row"] = .mask
    let catalogue = load(files)
    #expect(titles(catalogue) == ["C"])
    #expect(catalogue.errors.isEmpty)
  }

  @Test("show a row again that a later layer puts over a mask")
  func unmasking() {
    let catalogue = load([
      "/usr/a.row": storedRow("A1"), "/run/a.row": "", "/etc/a.row": storedRow("A3"),
    ])
    #expect(titles(catalogue) == ["A3"])
  }

  @Test("report a file that is wrong and go on, with the layer below for the same row")
  func wrongFile() {
    let catalogue = load([
      "/usr/a.row": storedRow("A1"), "/etc/a.row": "[Row]\nTitle=A3\nNonsense\n",
      "/usr/b.row": "[Row]\nTitle=B\n", "/usr/c.row": storedRow("C"),
    ])
    #expect(titles(catalogue) == ["A1", "C"])
    #expect(
      errors(catalogue) == [
        "/etc/a.row:3: 'Nonsense' is no setting; expected Key=value, [Group] or # comment",
        "/usr/b.row: the group [Backend] is missing; expected Type= in it",
      ])
  }

  @Test("report what is no readable file")
  func strangeFiles() {
    var files = MemoryFiles(["/usr/ok.row": storedRow("OK")])
    files.contents["/usr/a.row"] = .tooLarge
    files.contents["/usr/b.row"] = .notRegular("a directory")
    files.contents["/usr/c.row"] = .unreadable("permission denied")
    files.contents["/usr/d.row"] = .bytes([UInt8](repeating: 0x78, count: 10_000_000))
    files.contents["/usr/e.row"] = .bytes([0x5b, 0xff, 0x0a, 0x00])
    files.contents["/usr/f.section"] = .notRegular("a FIFO")
    let catalogue = load(files)
    #expect(titles(catalogue) == ["OK"])
    #expect(
      errors(catalogue) == [
        "/usr/a.row: the file is larger than 64 KiB; expected a row file",
        "/usr/b.row: this is a directory; expected a regular file",
        "/usr/c.row: the file can't be read: permission denied",
        "/usr/d.row: the file is larger than 64 KiB; expected a row file",
        "/usr/e.row:1: the line is not valid UTF-8; expected text in UTF-8",
        "/usr/e.row:2: the line holds the control byte 0x00; expected text",
        "/usr/f.section: this is a FIFO; expected a regular file",
      ])
  }

  @Test("report a directory that can't be read and go on")
  func strangeDirectory() {
    var files = MemoryFiles(["/usr/a.row": storedRow("A")])
    files.unreadableDirectories["/run"] = "permission denied"
    let catalogue = load(files)
    #expect(titles(catalogue) == ["A"])
    #expect(errors(catalogue) == ["/run: the directory can't be read: permission denied"])
  }

  @Test("keep what a directory had that can't be read any more")
  func lostDirectory() {
    var files = MemoryFiles([
      "/usr/a.row": storedRow("A", "Section=home"), "/usr/home.section": "[Section]\nTitle=H\n",
      "/usr/a.row.d/1.conf": "[Row]\nSubtitle=S\n", "/etc/b.row": storedRow("B"),
    ])
    let before = load(files)
    files.unreadableDirectories = ["/usr": "too many open files", "/usr/a.row.d": "the same"]
    files.contents["/usr/a.row"] = .unreadable("too many open files")
    files.contents["/usr/a.row.d/1.conf"] = .unreadable("too many open files")
    let after = load(files, previous: before)
    #expect(after.isPartial && !before.isPartial)
    #expect(after.rows == before.rows)
    #expect(after.sections == before.sections)
    #expect(errors(after).first == "/usr: the directory can't be read: too many open files")
    // What is read again and is gone is gone.
    files = MemoryFiles(["/etc/b.row": storedRow("B")])
    #expect(titles(load(files, previous: after)) == ["B"])
  }

  @Test("report names that are no ids and leave other files alone")
  func names() {
    let catalogue = load([
      "/usr/Wifi.row": storedRow("A"), "/usr/.row": storedRow("B"), "/usr/low-power.row": "",
      "/usr/1.section": "", "/usr/a.row~": "x", "/usr/.a.row.swp": "x", "/usr/a.row.bak": "x",
      "/usr/README": "x", "/usr/.hidden.row": "x", "/usr/a.conf": "x", "/usr/Bad.row.d/a.conf": "x",
      "/usr/row": "x",
    ])
    #expect(catalogue.rows.isEmpty)
    let rule = "expected a to z, 0 to 9 and _, a letter first, at most 64 characters"
    #expect(
      errors(catalogue) == [
        "/usr/1.section: the name '1' is not an id; \(rule)",
        "/usr/Bad.row.d: the name 'Bad' is not an id; \(rule)",
        "/usr/Wifi.row: the name 'Wifi' is not an id; \(rule)",
        "/usr/low-power.row: the name 'low-power' is not an id; \(rule)",
      ])
  }

  // MARK: Which rows are published

  @Test("hold the rows of one bus, and report what is wrong with those alone")
  func scopes() {
    let texts = [
      "/usr/a.row": storedRow("A"), "/usr/b.row": storedRow("B", "Bus=system"),
      "/usr/c.row": storedRow("C", "Bus=system", "Order=x"),
      "/usr/d.row": storedRow("D", "Order=x"),
      "/usr/e.row": storedRow("E", "Bus=x"),
    ]
    let session = load(texts)
    #expect(titles(session) == ["A"])
    #expect(session.errors.map(\.file) == ["/usr/d.row", "/usr/e.row"])
    let system = load(texts, .system)
    #expect(titles(system) == ["B"])
    #expect(system.errors.map(\.file) == ["/usr/c.row", "/usr/e.row"])
  }

  @Test("do not hold rows that are hidden or miss their program")
  func unpublished() {
    var files = MemoryFiles([
      "/usr/a.row": storedRow("A", "Hidden=true"), "/usr/b.row": storedRow("B", "TryExec=there"),
      "/usr/c.row": storedRow("C", "TryExec=/bin/gone"),
      "/usr/d.row": storedRow("D", "Hidden=false"),
    ])
    files.programs = ["there"]
    let catalogue = load(files)
    #expect(titles(catalogue) == ["B", "D"])
    #expect(catalogue.errors.isEmpty)
    #expect(
      catalogue.warnings.map(\.description) == [
        "/usr/c.row: the row is not published: its TryExec program '/bin/gone' is not there"
      ])
  }

  // MARK: Sections and order

  @Test("hold sections with their texts")
  func sections() throws {
    let catalogue = load([
      "/usr/looks.section": "[Section]\nTitle=Looks\nTitle[es]=Aspecto\nFooter=Small\nOrder=3\n",
      "/usr/net.section": "[Section]\nTitle=Old\n", "/etc/net.section": "[Section]\nTitle=Net\n",
      "/usr/gone.section": "[Section]\nTitle=Gone\n", "/etc/gone.section": "",
    ])
    let looks = try #require(SectionID("looks"))
    let net = try #require(SectionID("net"))
    #expect(catalogue.errors.isEmpty)
    #expect(Set(catalogue.sections.keys) == [looks, net, .other])
    #expect(
      catalogue.sections[looks]
        == SectionDefinition(
          id: looks, file: "/usr/looks.section",
          title: LocalisedText("Looks", translations: ["es": "Aspecto"]),
          footer: LocalisedText("Small"), order: 3))
    #expect(catalogue.sections[net]?.title.untranslated == "Net")
    #expect(catalogue.sections[net]?.footer == LocalisedText(""))
    #expect(catalogue.sections[net]?.order == 0)
  }

  @Test("report sections that are wrong")
  func wrongSections() {
    let catalogue = load([
      "/usr/a.section": "[Section]\nFooter=x\nOrder=y\nColor=red\n[Row]\nTitle=A\n",
      "/usr/b.section": "# nothing\n", "/usr/c.section": "[Section]\nTitle=\n",
    ])
    #expect(catalogue.sections == [.other: .other])
    #expect(
      errors(catalogue) == [
        "/usr/a.section:1: Title is missing in [Section]; expected a short name for people",
        "/usr/a.section:3: Order is 'y'; expected a whole number from -2147483648 to 2147483647",
        "/usr/a.section:4: [Section] has no key 'Color'; expected Footer, Order or Title",
        "/usr/a.section:5: there is no group [Row] in a section; expected [Section]",
        "/usr/b.section: the group [Section] is missing; expected Title= in it",
        "/usr/c.section:2: Title is empty; expected a short name for people",
      ])
  }

  @Test("put a row whose section has no file into other, and say so")
  func unknownSection() throws {
    let catalogue = load([
      "/usr/a.row": storedRow("A", "Section=looks"), "/usr/b.row": storedRow("B", "Section=other"),
    ])
    #expect(titles(catalogue) == ["A", "B"])
    #expect(catalogue.rows[try id("a")]?.section == .other)
    #expect(
      errors(catalogue) == [
        "/usr/a.row:3: there is no file for the section 'looks'; expected looks.section, and the "
          + "row goes to 'other'"
      ])
  }

  @Test("let a file describe the section other")
  func other() {
    let catalogue = load(["/usr/other.section": "[Section]\nTitle=The rest\n"])
    #expect(catalogue.sections[.other]?.title.untranslated == "The rest")
  }

  @Test("order rows by section, then Order, then id")
  func order() {
    let catalogue = load([
      "/usr/late.section": "[Section]\nTitle=L\nOrder=9\n",
      "/usr/early.section": "[Section]\nTitle=E\nOrder=-1\n",
      "/usr/alike.section": "[Section]\nTitle=A\nOrder=-1\n",
      "/usr/a.row": storedRow("none"), "/usr/b.row": storedRow("late", "Section=late"),
      "/usr/c.row": storedRow("early 2", "Section=early", "Order=2"),
      "/usr/d.row": storedRow("early 1", "Section=early", "Order=1"),
      "/usr/e.row": storedRow("early 1 too", "Section=early", "Order=1"),
      "/usr/f.row": storedRow("alike", "Section=alike"),
    ])
    #expect(
      titles(catalogue) == ["alike", "early 1", "early 1 too", "early 2", "late", "none"])
  }

  @Test("take ten thousand rows")
  func many() {
    var files = MemoryFiles()
    for number in 0..<10_000 { files["/usr/row_\(number).row"] = storedRow("Row \(number)") }
    let catalogue = load(files)
    #expect(catalogue.rows.count == 10_000)
    #expect(catalogue.order.count == 10_000)
    #expect(catalogue.errors.isEmpty)
  }
}
