// SPDX-License-Identifier: MIT

extension Machine {
  /// Who does something in a machine with people.
  package enum Caller: CaseIterable, Sendable {
    case root
    /// Alice, at the machine's seat.
    case seat
    /// Alice, over ssh.
    case remote
    /// A service that runs as `robot`.
    case service
  }

  /// Makes people: `alice`, who may come in over ssh; `robot`, who runs services and is one of the
  /// `operators`; and the administrator `admin`, whose password is `secret`.
  package func addPeople() throws {
    // A wrong password is answered at once.
    try write("auth required pam_unix.so nodelay\n", to: "/etc/pam.d/common-auth")
    try addUser("alice")
    try addUser("robot", groups: ["operators"])
    try addUser("admin", password: "secret", groups: ["sudo"])
    try openToSSH("alice")
  }

  /// Runs a program to its end.
  package func run(_ arguments: [String], as caller: Caller) throws -> Program.Outcome {
    switch caller {
    case .root: try run(arguments)
    case .seat: try run(arguments, as: "alice", at: .seat)
    case .remote: try run(arguments, as: "alice", at: .remote)
    case .service: try run(arguments, as: "robot", at: .service)
    }
  }

  /// Puts a rule of polkit's in force in place of the one before, as the body of a function that
  /// is asked about a row.
  package func setPolkitRule(_ body: String) throws {
    let text = """
      polkit.addRule(function (action, subject) {
        var row = action.lookup("row"), title = action.lookup("title");
        var value = action.lookup("value");
        \(body)
      });
      """
    try write(text, to: "/etc/polkit-1/rules.d/10-test.rules")
    try restartPolkit()
  }

  /// Starts polkit anew, which forgets what it was told of.
  package func restartPolkit() throws {
    // However often that is within how short a time.
    try run(["systemctl", "reset-failed", "polkit.service"])
    try succeed("systemctl", "restart", "polkit.service")
  }
}
