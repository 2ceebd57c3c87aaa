// SPDX-License-Identifier: MIT

import System

extension Machine {
  /// Where somebody is who runs a program in a machine: what logind, and polkit after it, goes by.
  package enum Place: Hashable, Sendable {
    /// At the machine's own seat, in the active session there.
    case seat
    /// Elsewhere, over ssh.
    case remote
    /// Nowhere: a service, without a session.
    case service
  }

  /// Makes a user.
  package func addUser(
    _ name: String, password: String? = nil, groups: [String] = []
  ) throws {
    for group in groups { try succeed("groupadd", "--force", group) }
    let membership = groups.isEmpty ? [] : ["--groups", groups.joined(separator: ",")]
    _ = try run(["useradd", "--create-home", "--shell", "/bin/bash"] + membership + [name])
    if let password {
      // Few rounds: a password is to be checked fast here.
      let outcome = try run(
        ["chpasswd", "--crypt-method", "SHA256", "--sha-rounds", "1000"],
        input: "\(name):\(password)\n")
      guard outcome.status.isSuccess else { throw TestFailure("chpasswd: \(outcome.error)") }
    }
  }

  /// Lets root come in over ssh as this user.
  package func openToSSH(_ user: String) throws {
    try succeed(
      "sh", "-euc",
      """
      ip link set lo up
      mkdir -p /run/sshd "/home/$1/.ssh"
      [ -e /root/key ] || ssh-keygen -q -t ed25519 -N '' -f /root/key
      [ -e /etc/ssh/ssh_host_ed25519_key ] || ssh-keygen -A
      cp /root/key.pub "/home/$1/.ssh/authorized_keys"
      chown -R "$1:" "/home/$1/.ssh"
      systemctl start ssh
      """, "sh", user)
  }

  /// Starts a program as a user.
  /// - Parameter onTerminal: whether it has a terminal of its own, which is what `write` types on
  ///   and `text` shows then; see the script `terminal` beside this file.
  package func start(
    _ arguments: [String], as user: String, at place: Place, onTerminal: Bool = false
  ) throws -> Program {
    let arguments = (onTerminal ? [try bring("terminal")] : []) + arguments
    let command = "exec \(arguments.map(\.quoted).joined(separator: " "))"
    switch place {
    case .seat:
      return try start(
        ["runuser", "--login", user, "--session-command", command],
        environment: ["XDG_SEAT": "seat0", "XDG_SESSION_TYPE": "tty"], hasInput: onTerminal)
    case .remote:
      return try start(
        [
          "ssh", "-i", "/root/key", "-o", "StrictHostKeyChecking=no", "-o", "LogLevel=ERROR", "-T",
          "\(user)@127.0.0.1", command,
        ], hasInput: onTerminal)
    case .service:
      return try start(
        ["setpriv", "--reuid", user, "--regid", user, "--init-groups", "--reset-env"] + arguments,
        hasInput: onTerminal)
    }
  }

  /// Runs a program as a user to its end.
  package func run(
    _ arguments: [String], as user: String, at place: Place
  ) throws -> Program.Outcome {
    let program = try start(arguments, as: user, at: place)
    let status = try program.waitForExit()
    return Program.Outcome(
      status: status, output: program.text(.output), error: program.text(.error))
  }

  /// The path of a script beside this file, where everybody inside can run it.
  func bring(_ script: String) throws -> String {
    if !Files.exists(directory.path(script)) {
      let text = try Files.read(Project.path("Tests/TestSupport/\(script)"), limit: 1 << 16)
      try Files.replace(directory.path(script), with: text, mode: 0o755)
    }
    return directory.path(script)
  }
}

extension String {
  /// As a shell takes it for one word.
  fileprivate var quoted: String {
    "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
