// SPDX-License-Identifier: MIT

import EventLoop
import System

/// Tells the service manager that started the daemon how it is, as sd_notify(3) says.
///
/// What changes in a turn of the loop leaves at its end, in one datagram, and only what is not
/// what was told last. A service manager that has no room for it is told once it has, and what is
/// newest by then. The loop itself says that it turns: a daemon that hangs says nothing, and is
/// started anew.
final class ServiceNotifier {
  private let loop: EventLoop
  private let log: Log
  private let status: () -> String
  private let socket: DatagramSocket
  private let watchdog: Duration?
  private var watchdogTimer: Timer?
  private var stage = Stage.starting
  /// What is yet to be told, by variable.
  private var unsent: [(name: String, value: String)] = []
  private var toldStatus = ""
  private var isWaitingForTurn = false
  private var roomWatch: DescriptorWatch?
  /// Whether the last message got through; that it did not is logged once.
  private var isReached = true

  private enum Stage {
    case starting, serving, leaving
  }

  /// - Parameters:
  ///   - environment: a variable's value, such as `NOTIFY_SOCKET`'s.
  ///   - status: what a person is to read of the daemon, as it is now; one line.
  /// - Returns: nil where no service manager asks to be told.
  init?(
    environment: (String) -> String?, loop: EventLoop, log: Log, status: @escaping () -> String
  ) {
    guard let address = environment("NOTIFY_SOCKET"), !address.isEmpty else { return nil }
    do throws(Errno) {
      socket = try DatagramSocket(to: UnixAddress(address))
    } catch {
      log.warning("can't tell the service manager anything: NOTIFY_SOCKET is \(address): \(error)")
      return nil
    }
    watchdog = WatchdogRequest(environment: environment)?.interval
    self.loop = loop
    self.log = log
    self.status = status
  }

  /// The daemon serves now. Told at once: nobody is answered before.
  func ready() {
    stage = .serving
    tell("READY", "1")
    refreshStatus()
    send()
    if watchdog != nil { watch() }
  }

  /// What a person is to read of the daemon may be another now; it is asked for when it is told.
  func statusChanged() {
    guard stage == .serving, !isWaitingForTurn else { return }
    isWaitingForTurn = true
    loop.atEndOfTurn { [weak self] in
      guard let self else { return }
      isWaitingForTurn = false
      refreshStatus()
      send()
    }
  }

  /// The daemon is about to leave. Told at once, unless it was told before.
  ///
  /// - Parameter reason: what a person is to read of it, unless it was asked to.
  func stopping(_ reason: String? = nil) {
    guard stage != .leaving else { return }
    stage = .leaving
    watchdogTimer = nil
    tell("STOPPING", "1")
    if let reason { tell("STATUS", reason) }
    // There is no later turn to wait for room in.
    roomWatch = nil
    send()
  }

  // MARK: The watchdog

  /// Reports twice in the time in which once is demanded.
  private func watch() {
    guard let watchdog else { return }
    watchdogTimer = loop.after(watchdog / 2) { [weak self] in
      guard let self else { return }
      tell("WATCHDOG", "1")
      send()
      watch()
      // It is nobody's doing: what is done in a lull was done.
      loop.overlookEvent()
    }
  }

  // MARK: Sending

  private func tell(_ name: String, _ value: String) {
    unsent.removeAll { $0.name == name }
    unsent.append((name, value))
  }

  private func refreshStatus() {
    guard stage == .serving else { return }
    let text = status()
    unsent.removeAll { $0.name == "STATUS" }
    if text != toldStatus { unsent.append(("STATUS", text)) }
  }

  private func send() {
    guard !unsent.isEmpty, roomWatch == nil else { return }
    let message = unsent.map { "\($0.name)=\($0.value)" }.joined(separator: "\n")
    do throws(Errno) {
      try socket.send(Array(message.utf8))
      isReached = true
    } catch .wouldBlock {
      return waitForRoom()
    } catch {
      // The next message finds out whether there is a service manager again.
      lose(message, error)
    }
    if let text = unsent.last(where: { $0.name == "STATUS" })?.value { toldStatus = text }
    unsent = []
  }

  private func waitForRoom() {
    do throws(Errno) {
      roomWatch = try loop.watch(socket.raw, for: .writable) { [weak self] _ in
        guard let self else { return }
        roomWatch = nil
        refreshStatus()
        send()
      }
    } catch {
      lose(unsent.map(\.name).joined(separator: " "), error)
      unsent = []
    }
  }

  private func lose(_ message: String, _ error: Errno) {
    guard isReached else { return }
    isReached = false
    log.warning("the service manager was not told '\(message)': \(error)")
  }
}
