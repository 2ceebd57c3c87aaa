// SPDX-License-Identifier: MIT

import DBus
import DBusTypes
import Settings

extension DBusBackend {
  /// One flip of a property, on one object or several.
  final class Write {
    let remote: RemoteObjects
    private let definition: DBusBackendDefinition
    private let on: Bool
    private let text: VariantText
    private let options: CallOptions
    private let timeout: Duration

    init(
      remote: RemoteObjects, definition: DBusBackendDefinition, on: Bool, text: VariantText,
      interactive: Bool, timeout: Duration
    ) {
      self.remote = remote
      self.definition = definition
      self.on = on
      self.text = text
      self.timeout = timeout
      options = interactive ? .allowInteractiveAuthorization : []
    }

    /// Sets the property on all of these; the first failure is the answer, after all were tried.
    func set(
      at paths: [ObjectPath], _ done: @escaping (Result<Void, FlipError>) -> Void
    ) {
      guard !paths.isEmpty else { return done(.success(())) }
      var left = paths.count
      var failure: FlipError?
      for path in paths {
        set(at: path) { result in
          if case .failure(let error) = result { failure = failure ?? error }
          left -= 1
          if left == 0 { done(failure.map { .failure($0) } ?? .success(())) }
        }
      }
    }

    /// Sets the property on one object.
    func set(at path: ObjectPath, _ done: @escaping (Result<Void, FlipError>) -> Void) {
      if case .objects(let objects) = remote.contents,
        case .success(let value)? = objects[path]?[definition.property]
      {
        return set(as: value.type, at: path, done)
      }
      // The type is only known from the property itself. Asking for it may start the service.
      remote.get(definition.property, at: path, options: [], timeout: timeout) { [self] result in
        switch result {
        case .success(let value): set(as: value.type, at: path, done)
        case .failure(let error):
          guard error.mayBeWriteOnly, let type = text.inferredType else {
            return done(.failure(flipError(error)))
          }
          set(as: type, at: path, done)
        }
      }
    }

    private func set(
      as type: SingleType, at path: ObjectPath,
      _ done: @escaping (Result<Void, FlipError>) -> Void
    ) {
      let call: CallQueue.Call
      do throws(VariantTextError) {
        call = try self.call(with: try text.value(as: type), at: path)
      } catch {
        let key = on ? "On" : "Off"
        return done(
          .failure(
            FlipError(
              .backendFailed,
              "\(key)=\(text) can't be written to \(definition.property) of "
                + "\(definition.service), which is of type '\(type)': \(error)")))
      }
      remote.calls.make(call) { [self] result in
        switch result {
        case .success: done(.success(()))
        case .failure(let error): done(.failure(flipError(error)))
        }
      }
    }

    private func flipError(_ error: DBusError) -> FlipError {
      // The bus answers for a service that dies as libdbus does for one that is silent.
      guard error.name != .noReply || remote.hasOwner else {
        return FlipError(.unavailable, "\(definition.service) went away before it answered")
      }
      return FlipError(error, service: definition.service)
    }

    private func call(
      with value: Value, at path: ObjectPath
    ) throws(VariantTextError) -> CallQueue.Call {
      var call: CallQueue.Call
      switch definition.setter {
      case .property:
        call = CallQueue.Call(
          "Set", of: .properties, at: path, destination: definition.service, timeout: timeout)
        call.arguments = [
          .string(definition.interface.rawValue), .string(definition.property.rawValue),
          .variant(value),
        ]
      case .method(let method, let arguments):
        call = CallQueue.Call(
          method, of: definition.interface, at: path, destination: definition.service,
          timeout: timeout)
        call.arguments = try arguments.arguments(substituting: value)
      }
      call.options = options
      return call
    }
  }
}

extension DBusError {
  /// Whether the object may still take a value that it does not give.
  nonisolated fileprivate var mayBeWriteOnly: Bool {
    name == .unknownProperty || name == .accessDenied || name == .unknownMethod
      || name == .invalidArgs
  }
}
