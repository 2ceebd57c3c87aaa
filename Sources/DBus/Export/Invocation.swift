// SPDX-License-Identifier: MIT

import CDBus
package import DBusTypes

/// A method call, or the write of a property, that waits for its one answer.
///
/// Dropped without one it answers `Failed`, so a caller is never left waiting. Every answer sends
/// pending property changes first: a caller sees the signal before the reply.
///
/// It keeps the call's header alone. A body, or descriptors, that stayed for as long as an answer
/// takes would be a cheap way to use up what the daemon may have open, or what libdbus reads.
@MainActor
package final class Invocation {
  private let header: Message
  private let tree: ObjectTree
  private let output: String
  /// Whether the answer has been given.
  package private(set) var isAnswered = false

  init(_ call: Call, _ tree: ObjectTree, output: String) {
    header = .header(of: call)
    self.tree = tree
    self.output = output
  }

  isolated deinit {
    guard !isAnswered else { return }
    if let path = header.path, let member = header.member {
      tree.connection.onNotice?(.callDropped(path, member))
    }
    answer(with: .failed("the call was dropped without an answer"))
  }

  /// Who calls; the bus vouches for it.
  package var sender: BusName? { header.sender }

  /// Whether the caller agrees to the user being asked for authorisation.
  package var allowsInteractiveAuthorization: Bool { header.allowsInteractiveAuthorization }

  /// Answers with values of the declared types; others are a bug and trap. Nothing happens when the
  /// call has been answered already.
  package func reply<each Output: DBusValue>(_ values: repeat each Output) {
    reply { writer in
      repeat (each values).write(to: &writer)
    }
  }

  /// Answers with what `body` writes, which must have the declared types.
  package func reply(_ body: (inout Writer) -> Void) {
    guard !isAnswered else { return }
    isAnswered = true
    tree.flush()
    guard !header.expectsNoReply else { return }
    let reply = Message.reply(to: header)
    do throws(DBusError) {
      try reply.write(body)
    } catch {
      return answer(with: error)
    }
    precondition(
      dbus_message_has_signature(reply.raw, output) != 0,
      "a reply of types '\(reply.signature)' was given where '\(output)' is declared")
    tree.connection.send(reply)
  }

  /// Answers with an error. Nothing happens when the call has been answered already.
  package func fail(_ error: DBusError) {
    guard !isAnswered else { return }
    isAnswered = true
    tree.flush()
    answer(with: error)
  }

  private func answer(with error: DBusError) {
    guard !header.expectsNoReply else { return }
    tree.connection.send(Message.error(error, to: header))
  }
}
