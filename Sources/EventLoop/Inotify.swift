// SPDX-License-Identifier: MIT

import CLinux
import Glibc
import System

/// One watch of a path.
@MainActor
final class PathSubscription {
  enum Handler {
    case directory((DirectoryEvent) -> Void)
    case file(() -> Void)
  }

  let path: String
  /// What the kernel is asked to tell of it.
  let mask: UInt32
  var handler: Handler?
  var watchDescriptor: Int32 = -1
  var isGone = false

  private init(_ path: String, _ mask: UInt32, _ handler: Handler) {
    self.path = path
    self.mask = mask
    self.handler = handler
  }

  static func directory(
    _ path: String, _ handler: @escaping (DirectoryEvent) -> Void
  ) -> PathSubscription {
    let mask = arrivalMask | UInt32(IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE | IN_MOVED_FROM)
    return PathSubscription(path, mask, .directory(handler))
  }

  static func arrivals(
    _ path: String, _ handler: @escaping (DirectoryEvent) -> Void
  ) -> PathSubscription {
    PathSubscription(path, arrivalMask, .directory(handler))
  }

  static func file(_ path: String, _ handler: @escaping () -> Void) -> PathSubscription {
    PathSubscription(path, fileMask, .file(handler))
  }
}

private nonisolated let goneMask = UInt32(IN_DELETE_SELF | IN_MOVE_SELF)
private nonisolated let arrivalMask = goneMask | UInt32(IN_CREATE | IN_MOVED_TO | IN_ONLYDIR)
private nonisolated let fileMask = goneMask | UInt32(IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB)

/// The one inotify instance of a loop, and who asked for what.
///
/// The kernel has one watch descriptor for each inode, however many ask and by whatever path, with
/// one mask. So masks are added up, and each event goes to those subscriptions that want it. The
/// kernel never hands a watch descriptor out twice: an event for one that nobody has any more is
/// stale and is dropped.
@MainActor
final class Inotify {
  private let descriptor: FileDescriptor
  private var subscriptions: [Int32: [PathSubscription]] = [:]

  init(loop: EventLoop) throws(Errno) {
    let flags = Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)
    let raw = try systemCall { inotify_init1(flags) }
    descriptor = FileDescriptor(adopting: raw)
    try loop.register(raw, .readable) { [unowned self] _ in readEvents() }
  }

  func add(_ subscription: PathSubscription) throws(Errno) {
    let mask = subscription.mask | UInt32(IN_MASK_ADD)
    let watchDescriptor = try systemCall(path: subscription.path) {
      inotify_add_watch(descriptor.raw, $0, mask)
    }
    subscription.watchDescriptor = watchDescriptor
    subscriptions[watchDescriptor, default: []].append(subscription)
  }

  func remove(_ subscription: PathSubscription) {
    subscription.handler = nil
    let watchDescriptor = subscription.watchDescriptor
    guard var others = subscriptions[watchDescriptor] else { return }
    others.removeAll { $0 === subscription }
    guard others.isEmpty else {
      subscriptions[watchDescriptor] = others
      return
    }
    subscriptions[watchDescriptor] = nil
    // EINVAL: the kernel removed it first and has not told yet.
    inotify_rm_watch(descriptor.raw, watchDescriptor)
  }

  // MARK: - Events

  private struct Event {
    let watchDescriptor: Int32
    let mask: UInt32
    /// Nil for an event of the watched inode itself, and for a name that is not UTF-8.
    let name: String?

    func has(_ bits: Int) -> Bool { mask & UInt32(bits) != 0 }

    /// Whether the path leads elsewhere or nowhere from now on.
    var isEnd: Bool { has(Int(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)) }

    var directoryEvent: DirectoryEvent? {
      if isEnd { return .gone }
      guard let name else { return has(Int(IN_ATTRIB)) ? .attributes : nil }
      if has(Int(IN_CREATE)) { return .created(name) }
      if has(Int(IN_DELETE)) { return .removed(name) }
      if has(Int(IN_MOVED_TO)) { return .movedIn(name) }
      if has(Int(IN_MOVED_FROM)) { return .movedOut(name) }
      if has(Int(IN_CLOSE_WRITE | IN_ATTRIB)) { return .changed(name) }
      return nil
    }
  }

  private func readEvents() {
    let events = withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 8) { buffer in
      let count = read(descriptor.raw, buffer.baseAddress, buffer.count)
      return parse(UnsafeRawBufferPointer(rebasing: buffer[..<max(0, count)]))
    }
    // Files that were told of in this batch: the rest of their events says nothing new.
    var told: Set<ObjectIdentifier> = []
    for event in events { deliver(event, &told) }
  }

  private func parse(_ buffer: UnsafeRawBufferPointer) -> [Event] {
    let header = MemoryLayout<inotify_event>.size
    var events: [Event] = []
    var offset = 0
    while offset + header <= buffer.count {
      let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
      let name = buffer[(offset + header)...].prefix(Int(event.len)).prefix { $0 != 0 }
      events.append(
        Event(
          watchDescriptor: event.wd, mask: event.mask,
          name: name.isEmpty ? nil : String(validating: name, as: UTF8.self)))
      offset += header + Int(event.len)
    }
    return events
  }

  private func deliver(_ event: Event, _ told: inout Set<ObjectIdentifier>) {
    if event.has(Int(IN_Q_OVERFLOW)) {
      for subscription in subscriptions.values.joined() {
        switch subscription.handler {
        case .directory(let handler): handler(.overflow)
        case .file(let handler): handler()
        case nil: break
        }
      }
      return
    }
    for subscription in subscriptions[event.watchDescriptor] ?? [] {
      switch subscription.handler {
      case .directory(let handler):
        guard let directoryEvent = event.directoryEvent else { continue }
        if event.isEnd { end(subscription) }
        handler(directoryEvent)
      case .file(let handler):
        if event.isEnd {
          end(subscription)
        } else {
          guard event.mask & fileMask != 0, event.name == nil,
            told.insert(ObjectIdentifier(subscription)).inserted
          else { continue }
        }
        handler()
      case nil:
        continue
      }
    }
  }

  private func end(_ subscription: PathSubscription) {
    subscription.isGone = true
    remove(subscription)
  }
}
