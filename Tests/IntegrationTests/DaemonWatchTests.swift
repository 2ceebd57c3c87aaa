// SPDX-License-Identifier: MIT

import System
import TestSupport
import Testing

@MainActor
@Suite("What the kernel refuses to watch", .serialized)
struct DaemonWatchTests {
  /// A user namespace has limits of its own; in this one nobody gets an inotify instance.
  private nonisolated static let withoutInotify = [
    "unshare", "--user", "--map-root-user", "sh", "-c",
    "echo 0 > /proc/sys/user/max_inotify_instances && exec \"$@\"", "sh",
  ]

  /// Some containers allow no user namespace.
  private nonisolated static var isPossible: Bool {
    (try? Program.run(withoutInotify + ["true"]).status.isSuccess) ?? false
  }

  @Test(
    "is said, with the limit's name, and read again by and by",
    .enabled(if: isPossible, "it takes a user namespace"))
  func unwatched() throws {
    let stage = try Stage()
    try stage.directory.write("0\n", to: "knob")
    try stage.write("knob.row", RowText.file(stage.directory.path("knob")))
    try stage.launch(within: Self.withoutInotify)
    try stage.waitForLog("for row files, trying again: the limit of inotify instances is reached")
    try stage.waitForLog("row knob: can't watch \(stage.directory.path("knob")), reading it again")
    let peer = try Peer(stage)
    try stage.directory.write("1\n", to: "knob")
    try peer.wait { $0.hasPrefix("rows/knob Row1 IsOn=true State='on'") }
  }
}
