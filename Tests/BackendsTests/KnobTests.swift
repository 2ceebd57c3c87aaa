// SPDX-License-Identifier: MIT

import Backends
import Glibc
import Settings
import System
import Testing

/// Files of the kernel's, whose changes inotify does not always tell.
@MainActor
@Suite("a file row of a kernel's file")
struct KnobTests {
  private let stage: Stage

  init() throws {
    stage = try Stage()
  }

  @Test("a change that only EPOLLPRI tells of is noticed")
  func priority() throws {
    // sethostname(2) with the name that it has changes nothing and wakes who polls the file; no
    // file is written, so inotify is silent.
    let path = "/proc/sys/kernel/hostname"
    let name = try Files.read(path, limit: 256).dropLast()
    let text = String(decoding: name, as: UTF8.self)
    let backend = FileBackend(
      FileBackendDefinition(path: path, on: [text], off: []), loop: stage.loop, notice: stage.note)
    stage.start(backend)
    #expect(stage.reports == [.on])
    for _ in 0..<2 {
      stage.forgetReports()
      #expect(sethostname(text, text.utf8.count) == 0, "needs root")
      try stage.awaitReport(.on)
    }
    #expect(stage.notices == [])
  }

  @Test("an Interval reads again what tells of nothing")
  func interval() throws {
    // The kernel changes it with every reading, and tells nobody.
    let path = "/proc/sys/kernel/random/uuid"
    let backend = FileBackend(
      FileBackendDefinition(path: path, on: ["1"], off: [], interval: .milliseconds(5)),
      loop: stage.loop, notice: stage.note)
    stage.start(backend)
    try stage.turn { stage.reports.count >= 4 }
    #expect(Set(stage.reports) == [.off])
  }
}
