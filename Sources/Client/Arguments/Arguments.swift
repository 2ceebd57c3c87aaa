// SPDX-License-Identifier: MIT

import Settings

/// The parser of command lines. Options may stand before or after the verb; `--` ends them.
nonisolated struct Arguments {
  private enum Option: String, CaseIterable {
    case json = "--json"
    case system = "--system"
    case user = "--user"
    case quiet = "--quiet"
    case verbose = "--verbose"
    case noColor = "--no-color"
    case noAskPassword = "--no-ask-password"
    case help = "--help"
    case version = "--version"

    init?(short letter: Character) {
      switch letter {
      case "q": self = .quiet
      case "v": self = .verbose
      case "h": self = .help
      default: return nil
      }
    }
  }

  /// Few enough to look through, and no Set: see Togglectl.
  private var given: [Option] = []
  private var words: [String] = []

  /// Reads the words after the program's name, or says what is wrong with them (exit 2).
  static func parse(_ arguments: [String]) throws(Failure) -> Command {
    var parser = Arguments()
    try parser.read(arguments)
    return try parser.command()
  }

  private mutating func read(_ arguments: [String]) throws(Failure) {
    var optionsEnded = false
    for argument in arguments {
      if optionsEnded || argument == "-" || !argument.hasPrefix("-") {
        words.append(argument)
      } else if argument == "--" {
        optionsEnded = true
      } else if argument.hasPrefix("--") {
        given.append(try Self.long(argument))
      } else {
        try readCluster(argument)
      }
    }
  }

  /// One or more one-letter options behind a single dash.
  private mutating func readCluster(_ argument: String) throws(Failure) {
    for letter in argument.dropFirst() {
      if letter == "H" || letter == "M" {
        throw .usage("the option '-\(letter)' is not supported yet")
      }
      guard let option = Option(short: letter) else {
        let place = argument.count > 2 ? " in '\(argument)'" : ""
        throw .usage("unknown option '-\(letter)'\(place)", seeHelp: true)
      }
      given.append(option)
    }
  }

  private static func long(_ argument: String) throws(Failure) -> Option {
    if let option = Option(rawValue: argument) { return option }
    let name = String(argument.prefix { $0 != "=" })
    if Option(rawValue: name) != nil { throw .usage("the option '\(name)' takes no value") }
    switch name {
    case "--host", "--machine": throw .usage("the option '\(name)' is not supported yet")
    case "--session": throw .usage("unknown option '--session', did you mean '--user'?")
    default:
      throw .usage(
        "unknown option '\(name)'", suggestion(for: name, among: Option.allCases.map(\.rawValue)),
        seeHelp: true)
    }
  }

  private func command() throws(Failure) -> Command {
    let verb = try words.first.map(Self.verb)
    if given.contains(.help) { return .help(verb) }
    if given.contains(.version) { return .version }

    var invocation = Invocation(verb ?? .list, Array(words.dropFirst()))
    if given.contains(.system), given.contains(.user) {
      throw .usage("'--system' and '--user' exclude each other; without either both are asked")
    }
    invocation.scope = given.contains(.system) ? .system : given.contains(.user) ? .session : nil
    invocation.json = given.contains(.json)
    invocation.quiet = given.contains(.quiet)
    invocation.verbose = given.contains(.verbose)
    invocation.colour = !given.contains(.noColor)
    invocation.asksPassword = !given.contains(.noAskPassword)
    try Self.validate(invocation)
    return .run(invocation)
  }

  private static func verb(_ word: String) throws(Failure) -> Verb {
    if let verb = Verb(rawValue: word) { return verb }
    if Verb.announced.contains(word) { throw .usage("'\(word)' is not supported yet") }
    throw .usage(
      "unknown verb '\(word)'", suggestion(for: word, among: Verb.allCases.map(\.rawValue)),
      seeHelp: true)
  }

  private static func validate(_ invocation: Invocation) throws(Failure) {
    let verb = invocation.verb
    let count = invocation.operands.count
    if count < verb.operandCount.lowerBound {
      throw .usage("'\(verb.rawValue)' needs the id of a row", seeHelp: true)
    }
    if count > verb.operandCount.upperBound {
      throw .usage("'\(verb.rawValue)' takes no arguments, but got '\(invocation.operands[0])'")
    }
    if invocation.quiet {
      if verb != .get { throw .usage("'-q' goes with 'get' only, not with '\(verb.rawValue)'") }
      if count > 1 { throw .usage("'get -q' takes one row, but got \(count)") }
      if invocation.json { throw .usage("'-q' and '--json' exclude each other") }
    }
    if invocation.verbose, !verb.isFlip {
      throw .usage("'-v' goes with 'on', 'off', 'toggle' and 'reset', not with '\(verb.rawValue)'")
    }
  }
}
