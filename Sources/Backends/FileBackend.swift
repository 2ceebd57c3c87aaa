// SPDX-License-Identifier: MIT

package import EventLoop
package import Settings
import System

/// A small file whose text means on or off: a kernel knob in sysfs or procfs, or any other.
///
/// Watched through inotify, and for EPOLLPRI on an open descriptor where the kernel takes that:
/// sysfs_notify(9) wakes it. Acceptance proves nothing, so a value that the kernel changes
/// silently needs an Interval.
package final class FileBackend: Backend {
  private let definition: FileBackendDefinition
  private let loop: EventLoop
  private let notice: (String) -> Void
  private var report: ((Reading) -> Void)?
  private var fileWatch: PathWatch?
  private var parentWatch: PathWatch?
  private var retry: Timer?
  private var isUnwatched = false
  private var knob: Knob?
  private var interval: IntervalTimer?

  /// A descriptor kept open for EPOLLPRI, and its watch.
  private final class Knob {
    let descriptor: FileDescriptor
    var watch: DescriptorWatch?

    init(_ descriptor: consuming FileDescriptor) {
      self.descriptor = descriptor
    }
  }

  /// A value of more bytes than this is not a switch.
  private static let limit = 65536

  /// What the kernel refused to watch is read again by and by.
  private static let retryTime = Duration.seconds(5)

  /// - Parameter notice: told what a person should know, such as that the file can't be watched.
  package init(
    _ definition: FileBackendDefinition, loop: EventLoop, notice: @escaping (String) -> Void
  ) {
    self.definition = definition
    self.loop = loop
    self.notice = notice
  }

  package func start(_ report: @escaping (Reading) -> Void) {
    self.report = report
    interval = IntervalTimer(definition.interval, on: loop) { [weak self] in self?.look() }
    watch()
    report(reading())
  }

  package func read(_ completion: @escaping (Reading) -> Void) {
    if fileWatch == nil { watch() }
    completion(reading())
  }

  package func write(
    _ on: Bool, interactive: Bool, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    guard let text = (on ? definition.on : definition.off).first else {
      return completion(.failure(.noOffValue))
    }
    do throws(ReadError) {
      try Files.write(Array("\(text)\n".utf8), into: definition.path)
      completion(.success(()))
    } catch {
      let kind: FlipError.Kind = error == .missing ? .unavailable : .backendFailed
      completion(.failure(FlipError(kind, "can't write \(definition.path): \(error)")))
    }
  }

  package func stop() {
    (report, fileWatch, parentWatch, retry, knob, interval) = (nil, nil, nil, nil, nil, nil)
  }

  private func look() {
    report?(reading())
  }

  /// Watches the file, or for it to appear.
  private func watch() {
    (fileWatch, parentWatch, retry) = (nil, nil, nil)
    watchKnob()
    do throws(Errno) {
      do throws(Errno) {
        fileWatch = try loop.file(definition.path) { [weak self] in self?.fileChanged() }
      } catch .noSuchFileOrDirectory, .notDirectory {
        parentWatch = try loop.appearance(of: definition.path) { [weak self] in
          self?.fileChanged()
        }
      }
    } catch {
      if !isUnwatched {
        notice("can't watch \(definition.path), reading it again by and by: \(error.ofWatching)")
      }
      isUnwatched = true
      retry = loop.after(Self.retryTime) { [weak self] in self?.fileChanged() }
      return
    }
    isUnwatched = false
  }

  private func fileChanged() {
    // An editor's save puts another file in its place, and the watch stays with the old one.
    if fileWatch?.isGone != false { watch() }
    look()
  }

  private func watchKnob() {
    knob = nil
    guard
      case .regular? = try? Files.status(definition.path).kind,
      let descriptor = try? FileDescriptor.open(definition.path, [.readOnly, .nonBlocking]),
      // The kernel counts changes from the last read on.
      (try? descriptor.read(upTo: Self.limit)) != nil
    else { return }
    let knob = Knob(descriptor)
    // A file on a disk can't be polled: EPERM, and inotify tells all there is.
    knob.watch = try? loop.watch(knob.descriptor.raw, for: .priority) { [weak self] _ in
      self?.watchKnob()
      self?.look()
    }
    if knob.watch != nil { self.knob = knob }
  }

  private func reading() -> Reading {
    let bytes: [UInt8]
    do throws(ReadError) {
      bytes = try Files.read(definition.path, limit: Self.limit)
    } catch {
      let reason: Reason =
        switch error {
        case .missing: .notFound
        case .failed(let errno): errno.isDenial ? .noAccess : .failed
        case .notRegular, .tooLarge: .failed
        }
      return .unreadable(Problem(reason, "can't read \(definition.path): \(error)"))
    }
    let text = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
    func means(_ values: [String]) -> Bool {
      values.contains { $0.utf8.elementsEqual(text) }
    }
    if means(definition.on) { return .on }
    if definition.off.isEmpty || means(definition.off) { return .off }
    let shown = String(decoding: text.prefix(40), as: UTF8.self)
    return .unreadable(
      Problem(.unrecognised, "\(definition.path) holds \"\(shown)\", which is neither On nor Off"))
  }
}
