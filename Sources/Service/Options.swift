// SPDX-License-Identifier: MIT

package import Settings

/// What `toggled` was asked on its command line.
package nonisolated struct Options: Sendable {
  /// Which bus to serve.
  package var scope: Scope
  /// Read in place of the search path.
  package var rowsDirectory: String?
  /// Kept in place of the scope's own directory.
  package var stateDirectory: String?
  /// The bus, in place of the scope's own.
  package var address: String?
  /// The kernel's switch for radios.
  package var radioDevice = "/dev/rfkill"
  /// Lines less urgent than this are left out.
  package var logLevel = Log.Level.info

  /// What the arguments amount to.
  package enum Request: Sendable {
    case serve(Options)
    /// Print this and leave.
    case print(String)
    /// The arguments are wrong: say this and leave with 2.
    case usage(String)
  }

  /// - Parameter arguments: without the program's own name.
  package static func parse(_ arguments: [String]) -> Request {
    var scope: Scope?
    var options = Options(scope: .session)
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      var value: String? = parts.count > 1 ? String(parts[1]) : nil
      switch name {
      case "--system", "--session", "--help", "-h", "--version":
        guard value == nil else { return .usage("\(name) takes no value") }
      case "--rows", "--state", "--address", "--rfkill", "--log-level":
        value = value ?? rest.popFirst()
        guard let value, !value.isEmpty else { return .usage("\(name) needs a value") }
      default:
        return .usage("unknown argument '\(argument)'; see toggled --help")
      }
      switch name {
      case "--system", "--session":
        let wanted: Scope = name == "--system" ? .system : .session
        guard scope == nil || scope == wanted else {
          return .usage("--system and --session exclude each other")
        }
        scope = wanted
      case "--rows": options.rowsDirectory = value
      case "--state": options.stateDirectory = value
      case "--address": options.address = value
      case "--rfkill": options.radioDevice = value ?? ""
      case "--log-level":
        guard let level = value.flatMap(Log.Level.init(name:)) else {
          let names = Log.Level.allCases.map(\.name).joined(separator: ", ")
          return .usage("unknown log level '\(value ?? "")'; expected one of \(names)")
        }
        options.logLevel = level
      case "--version": return .print("toggled \(Version.current)\n")
      default: return .print(help)
      }
    }
    guard let scope else {
      return .usage("say which bus to serve: --system or --session; see toggled --help")
    }
    options.scope = scope
    return .serve(options)
  }

  static let help = """
    Usage: toggled --system | --session [OPTION…]

    Publishes the on/off settings of this machine on D-Bus as org.toggled, each as a
    row with a title, an icon and a switch. See togglectl(1) to list and flip them.

      --system           serve the system bus: the machine's rows
      --session          serve the session bus: the user's rows
      --rows DIR         read row files from DIR alone, not from the search path
      --state DIR        keep the stored values in DIR
      --address ADDRESS  connect to the bus at this D-Bus address
      --rfkill PATH      switch radios through this device, not through /dev/rfkill
      --log-level LEVEL  log what is as urgent as this: emerg, alert, crit, err,
                         warning, notice, info (the default) or debug
      --help             show this text
      --version          show the version

    SIGHUP reads the row files again; SIGTERM leaves.

    """
}
