// SPDX-License-Identifier: MIT

import Backends
import DBus
import DBusTypes
import Settings

/// polkit(8), which says who may do what: org.freedesktop.PolicyKit1.Authority on the system bus.
///
/// The subject is the client's unique name, which only the bus gives out; never a process, whose
/// number may be another's by the time that polkit looks.
final class Polkit {
  /// What polkit says to a permission.
  nonisolated enum Answer: Hashable, Sendable {
    case allowed
    /// No, whatever the caller might add.
    case refused
    /// A person was asked, and dismissed the question or could not answer it.
    case dismissed
    /// It depends on a person, who was not asked: the caller did not allow it, or nobody can ask.
    case needsPerson
    /// It has no such action, as of a program that is not installed.
    case unknownAction
    /// polkit is not there, or does not answer; why.
    case unavailable(String)
    /// It depends on a person, of whom as much is asked already as may be at a time.
    case tooManyQuestions
  }

  private let link: BusLink
  /// The number of the last check, which names a question that is open, to cancel it.
  private var last: UInt64 = 0

  /// How long polkit has where nobody has to be asked.
  private static let timeout = Duration.seconds(5)
  /// How long a person has, who may have to look for a password.
  private static let patience = Duration.seconds(300)

  /// - Parameter link: the way to the system bus.
  init(_ link: BusLink) {
    self.link = link
  }

  /// Asks polkit whether the client may. `completion` runs once.
  ///
  /// - Parameter asking: whether a person may be asked for it.
  func check(
    _ permission: Permission, for client: BusName, asking: Bool,
    _ completion: @escaping @MainActor (Answer) -> Void
  ) {
    last += 1
    let number = last
    let timeout = asking ? Self.patience : Self.timeout
    var call = Self.call("CheckAuthorization", timeout: timeout)
    call.arguments = [
      .structure([
        .string("system-bus-name"), .options([("name", .string(client.rawValue))]),
      ]),
      .string(permission.action), permission.details, .uint32(asking ? 1 : 0),
      .string(Self.cancellation(number)),
    ]
    link.reach(within: timeout) { outcome in
      switch outcome {
      case .failure(let problem): completion(.unavailable(problem.text))
      case .success(let bus):
        bus.calls.make(call) { result in
          let answer = Self.answer(result, asking: asking)
          guard asking, case .failure(let error) = result, error.name == .noReply else {
            return completion(answer)
          }
          // A question that nobody waits for any more must not stay on somebody's screen. It is
          // taken back before the client is answered, who may leave then; see ClientChecks.
          self.cancel(number) { completion(answer) }
        }
      }
    }
  }

  /// Takes a question back. `completion` runs once, when polkit has done so or can't.
  private func cancel(_ number: UInt64, _ completion: @escaping @MainActor () -> Void) {
    var call = Self.call("CancelCheckAuthorization", timeout: Self.timeout)
    call.arguments = [.string(Self.cancellation(number))]
    link.reach(within: Self.timeout) { outcome in
      guard case .success(let bus) = outcome else { return completion() }
      // It may have been answered meanwhile, and then there is nothing to take back.
      bus.calls.make(call) { _ in completion() }
    }
  }

  private static func cancellation(_ number: UInt64) -> String { "toggled-\(number)" }

  private static func call(_ member: MemberName, timeout: Duration) -> CallQueue.Call {
    CallQueue.Call(
      member, of: "org.freedesktop.PolicyKit1.Authority",
      at: "/org/freedesktop/PolicyKit1/Authority", destination: "org.freedesktop.PolicyKit1",
      timeout: timeout)
  }

  private static func answer(_ result: Result<Message, DBusError>, asking: Bool) -> Answer {
    typealias Reply = Structure<Bool, Bool, [String: String]>
    switch result.reading(Reply.self) {
    case .success(let reply):
      let (isAuthorised, isChallenge, _) = reply.members
      if isAuthorised { return .allowed }
      if isChallenge { return .needsPerson }
      return asking ? .dismissed : .refused
    case .failure(let error):
      switch error.name {
      // Only its words tell this from what else fails, and they are in no language but one.
      case "org.freedesktop.PolicyKit1.Error.Failed"
      where error.message.contains("is not registered"):
        return .unknownAction
      case "org.freedesktop.PolicyKit1.Error.Cancelled": return .dismissed
      case .noReply: return .unavailable("polkit does not answer")
      // Its words go to the client, whoever has taken its name.
      default: return .unavailable(error.message.printable.shortened(to: 300))
      }
    }
  }
}
