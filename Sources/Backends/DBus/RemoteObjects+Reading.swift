// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Settings

// Asking the service. A question that is asked while it awaits its answer is asked once more
// afterwards, once for all who asked: the answer under way may be older than what they know.

extension RemoteObjects {
  /// A question under way or to come, and who waits for its answer.
  final class Inquiry {
    /// Whether the bus may start the service for it.
    var activating = false
    var timeout = Duration.zero
    var completions: [() -> Void] = []

    func join(
      activating: Bool = false, timeout: Duration, _ completion: (() -> Void)?
    ) {
      self.activating = self.activating || activating
      self.timeout = max(self.timeout, timeout)
      if let completion { completions.append(completion) }
    }

    func complete() {
      for completion in completions { completion() }
    }
  }

  /// A property of an object.
  struct Place: Hashable {
    let path: ObjectPath
    let property: MemberName
  }

  // MARK: Everything

  /// Reads everything. `completion` runs after a reading that began after this call.
  ///
  /// - Parameter activating: whether the bus may start the service for it.
  func readAll(
    activating: Bool = false, timeout: Duration? = nil, _ completion: (() -> Void)? = nil
  ) {
    let next = nextReading ?? Inquiry()
    nextReading = next
    next.join(activating: activating, timeout: timeout ?? self.timeout, completion)
    if reading == nil { startReading() }
  }

  private func startReading() {
    guard let inquiry = nextReading else { return }
    (reading, nextReading) = (inquiry, nil)
    calls.make(readCall(inquiry)) { [weak self] result in
      guard let self, reading === inquiry else { return }
      reading = nil
      if isNews(result, activating: inquiry.activating) { take(result) }
      inquiry.complete()
      if reading == nil { startReading() }
    }
  }

  /// Gives up what is under way or to come; who waits for it.
  func abandonInquiries() -> [() -> Void] {
    var given = [reading, nextReading].compactMap { $0 }
    given += inquiries.values.flatMap { [$0.current, $0.next].compactMap { $0 } }
    (reading, nextReading, inquiries) = (nil, nil, [:])
    return given.flatMap(\.completions)
  }

  /// Whether an answer says anything that is not known. Without an owner nothing but why it could
  /// not be started does: a service that dies owes answers that come after the news of its death.
  private func isNews<Answer>(_ result: Result<Answer, DBusError>, activating: Bool) -> Bool {
    guard isWatched else { return false }
    guard case .failure(let error) = result else { return true }
    return hasOwner || (activating && error.isFailedStart)
  }

  private func readCall(_ inquiry: Inquiry) -> CallQueue.Call {
    var call: CallQueue.Call
    switch key.target {
    case .object(let path):
      call = CallQueue.Call(
        "GetAll", of: .properties, at: path, destination: key.service, timeout: inquiry.timeout)
      call.arguments = [.string(key.interface.rawValue)]
    case .implementers(_, let manager):
      call = CallQueue.Call(
        "GetManagedObjects", of: .objectManager, at: manager, destination: key.service,
        timeout: inquiry.timeout)
    }
    if !inquiry.activating { call.options = .noAutoStart }
    return call
  }

  private func take(_ result: Result<Message, DBusError>) {
    switch (result, key.target) {
    case (.failure(let error), _):
      become(.problem(Problem(error, service: key.service)))
    case (.success(let message), .object(let path)):
      guard let properties = message.allProperties else {
        return become(.problem(malformed("GetAll")))
      }
      become(.objects([path: properties.mapValues { .success($0) }]))
    case (.success(let message), .implementers(let interface, _)):
      guard let objects = message.managedObjects(with: interface, propertiesOf: key.interface)
      else { return become(.problem(malformed("GetManagedObjects"))) }
      become(.objects(objects.mapValues { $0.mapValues { .success($0) } }))
    }
  }

  private func malformed(_ method: String) -> Problem {
    Problem(.failed, "\(key.service) answered \(method) with something else than properties")
  }

  // MARK: One property

  /// Asks for one property again, on one object. `completion` runs after an answer to a question
  /// that was asked after this call.
  func refresh(
    _ property: MemberName, at path: ObjectPath, timeout: Duration,
    _ completion: (() -> Void)? = nil
  ) {
    let place = Place(path: path, property: property)
    if let (current, next) = inquiries[place] {
      let next = next ?? Inquiry()
      next.join(timeout: timeout, completion)
      inquiries[place] = (current, next)
      return
    }
    let inquiry = Inquiry()
    inquiry.join(timeout: timeout, completion)
    start(inquiry, place)
  }

  private func start(_ inquiry: Inquiry, _ place: Place) {
    inquiries[place] = (inquiry, nil)
    get(place.property, at: place.path, options: .noAutoStart, timeout: inquiry.timeout) {
      [weak self] result in
      guard let self, let (current, next) = inquiries[place], current === inquiry else { return }
      inquiries[place] = nil
      if let next { start(next, place) }
      take(result, place, inquiry)
    }
  }

  func get(
    _ property: MemberName, at path: ObjectPath, options: CallOptions, timeout: Duration,
    _ completion: @escaping (Result<Value, DBusError>) -> Void
  ) {
    var call = CallQueue.Call(
      "Get", of: .properties, at: path, destination: key.service, timeout: timeout)
    call.options = options
    call.arguments = [.string(key.interface.rawValue), .string(property.rawValue)]
    let service = key.service
    calls.make(call) { result in
      completion(
        result.flatMap { message in
          guard
            let values = try? message.values(), values.count == 1,
            case .variant(let value) = values[0]
          else {
            return .failure(.failed("\(service) answered Get with something else than a variant"))
          }
          return .success(value)
        })
    }
  }

  private func take(_ result: Result<Value, DBusError>, _ place: Place, _ inquiry: Inquiry) {
    guard isNews(result, activating: false) else { return inquiry.complete() }
    if case .failure(let error) = result, error.name == .unknownObject {
      // It has gone, or moved to another path.
      return readAll(timeout: inquiry.timeout) { inquiry.complete() }
    }
    guard case .objects(var objects) = contents else {
      // It is there after all.
      return readAll(timeout: inquiry.timeout) { inquiry.complete() }
    }
    if objects[place.path] != nil {
      // What one property can't say says nothing of the others.
      objects[place.path]?[place.property] = result.mapError {
        Problem($0, service: key.service)
      }
      become(.objects(objects)) { $0 == place.property }
    }
    inquiry.complete()
  }
}
