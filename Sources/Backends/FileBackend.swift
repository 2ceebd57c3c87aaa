// SPDX-License-Identifier: MIT

package import EventLoop
package import Settings
import System

/// A small file whose text means on or off: a kernel knob in sysfs or procfs, or any other.
///
/// What the kernel changes silently needs an Interval.
package final class FileBackend: Backend {
  private let definition: FileBackendDefinition
  private let owners: Set<UInt32>?
  private let loop: EventLoop
  private let notice: (String) -> Void
  private var report: ((Reading) -> Void)?
  private var follower: FileFollower?
  private var interval: IntervalTimer?
  private var settling: Timer?

  /// How long an emptied file is given to be filled again: `echo 1 > file` empties it first.
  private static let settleTime = Duration.milliseconds(100)
  /// A value of more bytes than this is not a switch.
  private static let limit = 65536

  /// - Parameters:
  ///   - owners: the users who may decide where the path leads; nil for anyone. A file that
  ///     somebody else could put in its place is neither read nor written: the daemon may do both
  ///     with any.
  ///   - notice: told what a person should know, such as that the file can't be watched.
  package init(
    _ definition: FileBackendDefinition, owners: Set<UInt32>? = nil, loop: EventLoop,
    notice: @escaping (String) -> Void
  ) {
    self.definition = definition
    self.owners = owners
    self.loop = loop
    self.notice = notice
  }

  package func start(_ report: @escaping (Reading) -> Void) {
    self.report = report
    interval = IntervalTimer(definition.interval, on: loop) { [weak self] in self?.look() }
    follower = FileFollower(
      definition.path, on: loop, notice: notice, mayOpen: { [weak self] in self?.objection == nil },
      changed: { [weak self] in self?.look() })
    report(reading)
  }

  package func read(_ completion: @escaping (Reading) -> Void) {
    follower?.follow()
    completion(reading)
  }

  package func write(
    _ on: Bool, for origin: Origin, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    guard let text = (on ? definition.on : definition.off).first else {
      return completion(.failure(.noOffValue))
    }
    if let objection { return completion(.failure(FlipError(.accessDenied, objection.text))) }
    do throws(ReadError) {
      try Files.write(Array("\(text)\n".utf8), into: definition.path)
      completion(.success(()))
    } catch {
      let kind: FlipError.Kind = error == .missing ? .unavailable : .backendFailed
      completion(.failure(FlipError(kind, problem("write", error).text)))
    }
  }

  package func stop() {
    (report, follower, interval, settling) = (nil, nil, nil, nil)
  }

  private func look() {
    settling = nil
    let contents = contents
    if case .success([]) = contents, !means(definition.on + definition.off, []) {
      settling = loop.after(Self.settleTime) { [weak self] in
        guard let self else { return }
        settling = nil
        report?(reading)
      }
    } else {
      report?(reading(of: contents))
    }
  }

  private var reading: Reading { reading(of: contents) }

  /// Why the daemon keeps off what the path leads to; nil too where it leads nowhere.
  private var objection: Problem? {
    guard let owners else { return nil }
    do throws(Errno) {
      return try Files.weakness(of: definition.path, owners: owners).map { weakness in
        Problem(
          .noAccess,
          "\(definition.path) is left alone, as others than root could change it or where it "
            + "leads: \(weakness)")
      }
    } catch .noSuchFileOrDirectory, .notDirectory {
      return nil
    } catch {
      return Problem(
        error.isDenial ? .noAccess : .failed,
        "can't see where \(definition.path) leads: \(error)\(advice(error))")
    }
  }

  /// The text, without the newline at its end.
  private var contents: Result<ArraySlice<UInt8>, Problem> {
    if let objection { return .failure(objection) }
    do throws(ReadError) {
      let bytes = try Files.read(definition.path, limit: Self.limit)
      return .success(bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...])
    } catch {
      return .failure(problem("read", error))
    }
  }

  private func problem(_ action: String, _ error: ReadError) -> Problem {
    let text = "can't \(action) \(definition.path): \(error)"
    switch error {
    case .missing: return Problem(.notFound, text + advice(.noSuchFileOrDirectory))
    case .failed(let errno):
      return Problem(errno.isDenial ? .noAccess : .failed, text + advice(errno))
    case .notRegular, .tooLarge: return Problem(.failed, text)
    }
  }

  /// What to do about a refusal, or a file that is not there. Where root is refused, the daemon's
  /// own sandbox is the likeliest to have done so.
  private func advice(_ error: Errno) -> String {
    let isOfOwn = ["/tmp/", "/var/tmp/"].contains { definition.path.hasPrefix($0) }
    if owners != nil, isOfOwn, error == .noSuchFileOrDirectory {
      return "; toggled.service has a /tmp of its own: see SANDBOX in toggled(8)"
    }
    guard owners != nil, error.isDenial else { return "" }
    // What is named is the file that is there as the daemon starts, not one that replaces it.
    let remedy =
      error == .readOnlyFileSystem
      ? ", a drop-in with ReadWritePaths=-\(definition.path) allows it after a restart (name the "
        + "folder of a file that gets replaced)" : ""
    return "; if the sandbox of toggled.service forbids it\(remedy): see SANDBOX in toggled(8)"
  }

  private func reading(of contents: Result<ArraySlice<UInt8>, Problem>) -> Reading {
    let text: ArraySlice<UInt8>
    switch contents {
    case .success(let found): text = found
    case .failure(let problem): return .unreadable(problem)
    }
    if means(definition.on, text) { return .on }
    if definition.off.isEmpty || means(definition.off, text) { return .off }
    let what = isPublic ? "\"\(String(decoding: text.prefix(40), as: UTF8.self))\"" : "a value"
    return .unreadable(
      Problem(.unrecognised, "\(definition.path) holds \(what), which is neither On nor Off"))
  }

  /// Whether all who may read the row may read the file.
  private var isPublic: Bool {
    owners == nil
      || (try? Files.status(definition.path)).map { $0.permissions & 0o004 != 0 } ?? false
  }

  private func means(_ values: [String], _ text: ArraySlice<UInt8>) -> Bool {
    values.contains { $0.utf8.elementsEqual(text) }
  }
}
