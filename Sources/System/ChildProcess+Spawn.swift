// SPDX-License-Identifier: MIT

import CLinux
import Glibc

extension ChildProcess {
  /// Starts a program: posix_spawn(3).
  ///
  /// The child gets an empty signal mask, every signal's default action, its three streams and
  /// no other descriptor. Returns once the program runs, or throws what execve(2) said.
  /// - Parameters:
  ///   - arguments: the program, then what it is told. A name without a slash is looked for in
  ///     the child's PATH, or in `/usr/local/bin:/usr/bin:/bin` when it has none.
  ///   - environment: the child's variables; nil for those of this process.
  ///   - directory: where the child starts; nil for here.
  package static func spawn(
    arguments: [String],
    environment: [String: String]? = nil,
    directory: String? = nil,
    group: Group = .inherited,
    input: Stream = .null,
    output: Stream = .inherited,
    error: Stream = .inherited
  ) throws(Errno) -> ChildProcess {
    guard let name = arguments.first else { throw .invalidArgument }
    let variables = environment?.map { "\($0.key)=\($0.value)" }.sorted()
    for text in arguments + (variables ?? []) + [directory ?? ""] where text.utf8.contains(0) {
      throw .invalidArgument
    }
    let searchPath = (environment.map { $0["PATH"] } ?? Environment.value("PATH"))
    guard
      let program = name.utf8.contains(UInt8(ascii: "/"))
        ? name : Files.executable(name, in: searchPath ?? "/usr/local/bin:/usr/bin:/bin")
    else { throw .noSuchFileOrDirectory }

    var request = try SpawnRequest(
      directory: directory, group: group, streams: [input, output, error])
    keepChildrenWaitable()
    let processID = try request.spawn(program, arguments, variables)
    do throws(Errno) {
      let pidfd = try systemCall { clinux_pidfd_open(processID, 0) }
      return ChildProcess(processID: processID, descriptor: FileDescriptor(adopting: pidfd))
    } catch {
      // A child that can't be watched must not be left running (out of descriptors, as a rule).
      kill(processID, SIGKILL)
      waitpid(processID, nil, 0)
      throw error
    }
  }

  /// A process started with SIGCHLD ignored would lose its children's exit statuses, and with
  /// them the right to their numbers.
  private static func keepChildrenWaitable() {
    var action = sigaction()
    guard sigaction(SIGCHLD, nil, &action) == 0 else { return }
    // Functions of C can't be compared in Swift, and SIG_IGN is a number that C calls one: the
    // bits of the pointers are what tells them apart.
    let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    let ignored = unsafeBitCast(SIG_IGN, to: Int.self)
    if handler == ignored { Glibc.signal(SIGCHLD, SIG_DFL) }
  }
}

/// The two objects that posix_spawn(3) reads, freed together.
private struct SpawnRequest: ~Copyable {
  private var actions = posix_spawn_file_actions_t()
  private var attributes = posix_spawnattr_t()
  /// Copies of given descriptors that stood where another stream goes; closed with the request.
  private var copies: [Int32] = []

  init(
    directory: String?, group: ChildProcess.Group, streams: [ChildProcess.Stream]
  ) throws(Errno) {
    try Self.check(posix_spawn_file_actions_init(&actions))
    try Self.check(posix_spawnattr_init(&attributes))
    try setAttributes(group)
    for (target, stream) in zip(Int32(0)..., streams) { try add(stream, as: target) }
    try Self.check(posix_spawn_file_actions_addclosefrom_np(&actions, 3))
    if let directory { try Self.check(posix_spawn_file_actions_addchdir_np(&actions, directory)) }
  }

  deinit {
    var (actions, attributes) = (actions, attributes)
    posix_spawn_file_actions_destroy(&actions)
    posix_spawnattr_destroy(&attributes)
    for copy in copies { close(copy) }
  }

  private mutating func setAttributes(_ group: ChildProcess.Group) throws(Errno) {
    var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    var signals = sigset_t()
    sigemptyset(&signals)
    try Self.check(posix_spawnattr_setsigmask(&attributes, &signals))
    sigfillset(&signals)
    try Self.check(posix_spawnattr_setsigdefault(&attributes, &signals))
    switch group {
    case .inherited: break
    case .own:
      flags |= POSIX_SPAWN_SETPGROUP
      try Self.check(posix_spawnattr_setpgroup(&attributes, 0))
    case .session: flags |= Int32(clinux_POSIX_SPAWN_SETSID)
    }
    try Self.check(posix_spawnattr_setflags(&attributes, Int16(flags)))
  }

  private mutating func add(_ stream: ChildProcess.Stream, as target: Int32) throws(Errno) {
    switch stream {
    case .null:
      try Self.check(
        posix_spawn_file_actions_addopen(&actions, target, "/dev/null", O_RDWR, 0))
    case .inherited:
      // A copy onto itself clears close-on-exec.
      try Self.check(posix_spawn_file_actions_adddup2(&actions, target, target))
    case .descriptor(var source):
      if source < 3 {
        // An earlier stream's place: the copy is out of reach of the actions before this one.
        source = try systemCall { fcntl(source, F_DUPFD_CLOEXEC, 3) }
        copies.append(source)
      }
      try Self.check(posix_spawn_file_actions_adddup2(&actions, source, target))
    }
  }

  mutating func spawn(
    _ program: String, _ arguments: [String], _ variables: [String]?
  ) throws(Errno) -> Int32 {
    var processID: Int32 = 0
    let result = withCStrings(arguments) { argv in
      guard let variables else {
        return posix_spawn(&processID, program, &actions, &attributes, argv, clinux_environ())
      }
      return withCStrings(variables) { envp in
        posix_spawn(&processID, program, &actions, &attributes, argv, envp)
      }
    }
    try Self.check(result)
    return processID
  }

  /// These functions answer the error itself, not -1.
  private static func check(_ result: Int32) throws(Errno) {
    if result != 0 { throw Errno(rawValue: result) }
  }
}

/// The strings as C takes them: an array of pointers with a null at its end.
private func withCStrings(
  _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32
) -> Int32 {
  var pointers = strings.map { strdup($0) }
  defer { for pointer in pointers { free(pointer) } }
  if pointers.contains(nil) { return ENOMEM }
  pointers.append(nil)
  return pointers.withUnsafeBufferPointer { buffer in
    // The array has its null at least, so it has an address.
    buffer.baseAddress.map(body) ?? EINVAL
  }
}
