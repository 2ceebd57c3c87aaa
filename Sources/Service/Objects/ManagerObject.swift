// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Settings

/// org.toggled.Manager1: the daemon itself.
final class ManagerObject {
  fileprivate let scope: Scope
  private let board: Board

  init(_ scope: Scope, board: Board) {
    self.scope = scope
    self.board = board
  }

  /// - Parameter reload: reads the row files again and then calls back.
  static func table(
    clients: ClientRequests, reload: @escaping () -> Void
  ) -> InterfaceTable<ManagerObject> {
    InterfaceTable(
      .manager,
      properties: [
        .readOnly("Version", .constant) { _ in Version.current },
        .readOnly("Scope", .constant) { $0.scope.rawValue },
        .readOnly("Rows") { UInt32($0.board.catalogue.rows.count) },
        .readOnly("ConfigErrors") { manager in
          manager.board.catalogue.errors.map {
            Structure($0.file, UInt32(clamping: $0.line), $0.message)
          }
        },
      ],
      methods: [
        .deferred("Reload") { _, invocation throws(DBusError) in
          clients.asAdministrator("reload the row files", invocation) {
            reload()
            invocation.reply()
          }
        },
        .deferred(
          "Apply", in: ["wanted"], out: ["results"],
          [String: Structure<Bool, String, String>].self
        ) { manager, invocation, wanted throws(DBusError) in
          clients.apply(wanted, to: manager.board, invocation)
        },
      ])
  }
}
