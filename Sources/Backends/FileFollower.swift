// SPDX-License-Identifier: MIT

import EventLoop
import System

/// Tells when what a path leads to may have changed: the content of the file, or which file it is.
///
/// The file itself is watched through inotify, and for EPOLLPRI on an open descriptor where the
/// kernel takes that: sysfs_notify(9) wakes it. Acceptance proves nothing. Neither stays with the
/// path, so after each event the file under it is compared with the one that is watched. Where
/// there is none its coming is watched for, and a link is watched for being turned.
final class FileFollower {
  private let path: String
  private let loop: EventLoop
  private let notice: (String) -> Void
  private let mayOpen: () -> Bool
  private let changed: () -> Void
  private var identity: Identity?
  /// Of the file, or for it to appear.
  private var watch: PathWatch?
  private var linkWatch: PathWatch?
  private var knob: Knob?
  private var retry: Timer?
  private var isUnwatched = false

  private struct Identity: Equatable {
    let device: UInt64
    let inode: UInt64
  }

  /// A descriptor kept open for EPOLLPRI, and its watch, which goes first.
  private final class Knob {
    var watch: DescriptorWatch?
    let descriptor: FileDescriptor

    init(_ descriptor: consuming FileDescriptor) {
      self.descriptor = descriptor
    }
  }

  /// What the kernel refused to watch is told of by and by.
  private static let retryTime = Duration.seconds(5)

  /// - Parameters:
  ///   - notice: told what a person should know, such as that the file can't be watched.
  ///   - mayOpen: asked before the file is opened.
  ///   - changed: called after a change, never from within `follow`.
  init(
    _ path: String, on loop: EventLoop, notice: @escaping (String) -> Void,
    mayOpen: @escaping () -> Bool = { true }, changed: @escaping () -> Void
  ) {
    self.path = path
    self.loop = loop
    self.notice = notice
    self.mayOpen = mayOpen
    self.changed = changed
    follow()
  }

  /// Sees to it that the file which the path leads to now is the one that is watched.
  func follow() {
    let found = (try? Files.status(path)).map { Identity(device: $0.device, inode: $0.inode) }
    guard found == nil || found != identity || watch?.isGone != false else { return }
    identity = found
    retry = nil
    // The earlier watches go last, so that the kernel is not asked anew for what stays.
    let earlier = (watch, linkWatch)
    defer { withExtendedLifetime(earlier) {} }
    (watch, linkWatch) = (nil, nil)
    watchKnob()
    do throws(Errno) {
      try watchPath()
      isUnwatched = false
    } catch {
      if !isUnwatched {
        notice("can't watch \(path), reading it again by and by: \(error.ofWatching)")
      }
      isUnwatched = true
      retry = loop.after(Self.retryTime) { [weak self] in self?.look() }
    }
  }

  private func look() {
    follow()
    changed()
  }

  private func watchPath() throws(Errno) {
    do throws(Errno) {
      watch = try loop.file(path) { [weak self] in self?.look() }
    } catch .noSuchFileOrDirectory, .notDirectory {
      watch = try loop.appearance(of: path) { [weak self] in self?.look() }
    }
    guard (try? Files.status(path, followingLinks: false))?.kind == .symbolicLink else { return }
    let parts = PathParts(path)
    linkWatch = try loop.arrivals(in: parts.directory) { [weak self] event in
      switch event {
      case .created(parts.name), .movedIn(parts.name), .overflow, .gone: self?.look()
      default: break
      }
    }
  }

  private func watchKnob() {
    knob = nil
    guard mayOpen(),
      case .regular? = try? Files.status(path).kind,
      let descriptor = try? FileDescriptor.open(path, [.readOnly, .nonBlocking]),
      // The kernel counts changes from the last read on.
      (try? descriptor.read(upTo: 4096)) != nil
    else { return }
    let knob = Knob(descriptor)
    // A file on a disk can't be polled: EPERM, and inotify tells all there is.
    knob.watch = try? loop.watch(knob.descriptor.raw, for: .priority) { [weak self] _ in
      self?.watchKnob()
      self?.look()
    }
    if knob.watch != nil { self.knob = knob }
  }
}
