// SPDX-License-Identifier: MIT

package import EventLoop
package import Settings

/// The radios of a class: on while none of them is blocked.
///
/// A write lifts or sets the block by software, for all radios of the class and for those to come.
/// A block by the hardware stays where it is; it is told beside the value, and refuses nothing.
package final class RfkillBackend: Backend {
  private let radios: RadioClass
  private let timeout: Duration
  private let mirrorTime: Duration
  private let device: RfkillDevice
  private let loop: EventLoop
  private var report: ((Reading) -> Void)?
  private var told: Reading?
  private var flip: Flip?

  /// A write whose end is to be told.
  private final class Flip {
    let on: Bool
    /// Whether a block by the hardware may only mirror one by software that this lifts: laptops
    /// show the switch of the platform, itself a radio to the kernel, as the adapter's.
    let mayFreeOthers: Bool
    let completion: (Result<Void, FlipError>) -> Void
    var isWritten = false
    /// What is in the way, while it may yet go.
    var obstacle: FlipError?
    var deadline: Timer?
    var mirrorDeadline: Timer?

    init(
      _ on: Bool, mayFreeOthers: Bool, _ completion: @escaping (Result<Void, FlipError>) -> Void
    ) {
      (self.on, self.mayFreeOthers, self.completion) = (on, mayFreeOthers, completion)
    }
  }

  /// - Parameters:
  ///   - timeout: how long a write may take.
  ///   - mirrorTime: how long a block by the hardware that may only mirror one by software may
  ///     stay: the kernel asks some drivers for the state of their hardware every five seconds.
  package init(
    _ definition: RfkillBackendDefinition, timeout: Duration, mirrorTime: Duration = .seconds(6),
    device: RfkillDevice, loop: EventLoop
  ) {
    radios = definition.radios
    self.timeout = timeout
    self.mirrorTime = mirrorTime
    self.device = device
    self.loop = loop
  }

  package func start(_ report: @escaping (Reading) -> Void) {
    self.report = report
    device.observe(self) { [weak self] in self?.look() }
    look()
  }

  package func read(_ completion: @escaping (Reading) -> Void) {
    device.refresh { [weak self] in
      guard let self, report != nil, let reading else { return }
      told = reading
      completion(reading)
    }
  }

  package func stop() {
    (report, flip) = (nil, nil)
    device.forget(self)
  }

  private var reading: Reading? {
    switch device.radios {
    case .success(let all): all.reading(of: radios)
    case .failure(let problem): .unreadable(problem)
    case nil: nil
    }
  }

  private func look() {
    guard let reading else { return }
    if reading != told {
      told = reading
      report?(reading)
    }
    if flip?.isWritten == true { settle() }
  }

  // MARK: Flips

  package func write(
    _ on: Bool, for origin: Origin, _ completion: @escaping (Result<Void, FlipError>) -> Void
  ) {
    finish(.failure(FlipError(.superseded, "the radios were asked for something else meanwhile")))
    let members = (try? device.radios?.get())?.members(of: radios) ?? []
    let flip = Flip(
      on, mayFreeOthers: on && members.contains { $0.isSoftBlocked && !$0.isHardBlocked },
      completion)
    self.flip = flip
    flip.deadline = loop.after(timeout) { [weak self] in self?.giveUp() }
    device.write(radios, on) { [weak self] result in
      guard let self, self.flip === flip else { return }
      guard case .success = result else { return finish(result) }
      flip.isWritten = true
      settle()
    }
  }

  /// The kernel took what was written: is anything in the way?
  private func settle() {
    guard let flip, case .success(let all) = device.radios else { return finish(.success(())) }
    let members = all.members(of: radios)
    if members.isEmpty {
      finish(.failure(FlipError(.unavailable, all.absence(of: radios).text)))
    } else if flip.on, !members.contains(where: \.isSoftBlocked),
      let block = all.hardBlock(of: radios)
    {
      flip.obstacle = FlipError(.backendFailed, block.text)
      guard flip.mayFreeOthers else { return giveUp() }
      if flip.mirrorDeadline == nil {
        flip.mirrorDeadline = loop.after(mirrorTime) { [weak self] in self?.giveUp() }
      }
    } else {
      finish(.success(()))
    }
  }

  private func giveUp() {
    let error = FlipError(.timedOut, "writing \(device.path) takes too long: a driver holds it up")
    finish(.failure(flip?.obstacle ?? error))
  }

  private func finish(_ result: Result<Void, FlipError>) {
    guard let flip else { return }
    self.flip = nil
    flip.completion(result)
  }
}
