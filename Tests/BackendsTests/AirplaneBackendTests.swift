// SPDX-License-Identifier: MIT

import Backends
import EventLoop
import Settings
import System
import TestSupport
import Testing

@MainActor
@Suite("an airplane switch and its file")
struct AirplaneBackendTests {
  /// A radio's row that flips when it is told to.
  @MainActor
  final class Radio: @MainActor AirplaneMember {
    let id: RowID
    var latestReading: Reading?
    var heading: Bool?
    /// What a read finds, where nothing is known yet.
    var unread: Reading?
    var error: FlipError?
    var isMute = false
    weak var backend: AirplaneBackend?
    private(set) var flips: [Bool] = []

    init(_ id: RowID, _ reading: Reading?) {
      self.id = id
      latestReading = reading
    }

    var reading: Reading? { latestReading }

    func become(_ reading: Reading, byFlip: Bool = false) {
      latestReading = reading
      backend?.memberWasRead(id, reading, byFlip: byFlip)
    }

    func flip(
      _ on: Bool, for origin: Origin, _ completion: @escaping (Result<Void, FlipError>) -> Void
    ) {
      flips.append(on)
      if isMute { return }
      if let error { return completion(.failure(error)) }
      if latestReading != Reading(on) { become(Reading(on), byFlip: true) }
      completion(.success(()))
    }

    func readAgain(_ completion: @escaping () -> Void) {
      if let unread { become(unread) }
      completion()
    }
  }

  private let stage: Stage
  private let writer: DurableWriter
  private let values: StoredValues
  private let wifi: Radio
  private let bluetooth: Radio

  init() throws {
    // A flip's time runs while its file is on its way, and a busy disk may need all of it.
    stage = try Stage(in: "/dev/shm")
    wifi = Radio(try #require(RowID("wifi")), .on)
    bluetooth = Radio(try #require(RowID("bluetooth")), .on)
    writer = DurableWriter(loop: stage.loop)
    values = StoredValues(
      directory: stage.directory.path("state"), writer: writer, notice: stage.note)
  }

  /// What another daemon knows: no more than what is on the disk.
  private func otherValues(in directory: String = "state") -> StoredValues {
    StoredValues(
      directory: stage.directory.path(directory), writer: writer, notice: stage.note)
  }

  private func backend(
    _ values: StoredValues? = nil, timeout: Duration = patience
  ) throws -> AirplaneBackend {
    let radios = [wifi, bluetooth]
    let backend = AirplaneBackend(
      AirplaneBackendDefinition(members: radios.map(\.id)), id: try #require(RowID("plane")),
      timeout: timeout, values: values ?? self.values, loop: stage.loop
    ) { id in radios.first { $0.id == id } }
    for radio in radios { radio.backend = backend }
    stage.start(backend)
    return backend
  }

  private var file: String { stage.directory.path("state/plane.airplane") }

  @Test("a flip is on the disk when it is answered, and another daemon goes on from there")
  func survives() throws {
    #expect(try stage.write(backend(), true).failureKind == nil)
    let text = String(decoding: try Files.read(file, limit: 1000), as: UTF8.self)
    #expect(AirplaneRecord(text)?.blocked == [wifi.id, bluetooth.id])
    let before = try Files.status(file)
    let next = try backend(otherValues())
    #expect(stage.reports.last == .on)
    // A start writes nothing, neither there nor to a radio.
    #expect(try Files.status(file) == before)
    #expect(wifi.flips == [false])
    #expect(try stage.write(next, false).failureKind == nil)
    #expect(wifi.flips == [false, true])
    #expect(bluetooth.latestReading == .on)
    #expect(stage.notices == [])
  }

  @Test("what is on its way to the disk counts for a switch that starts anew")
  func redefined() throws {
    let first = try backend()
    wifi.isMute = true
    first.write(true, for: .nobody) { _ in Issue.record("a stopped backend answered") }
    first.stop()
    #expect(try stage.read(backend()) == .on)
  }

  @Test(
    "a damaged file is set aside, said so, and the switch is unknown until it is flipped",
    arguments: ["", "on", "on in boot 1\nwifi", String(repeating: "wifi\n", count: 100_000)])
  func damaged(text: String) throws {
    try stage.directory.write(text, to: "state/plane.airplane")
    let backend = try backend()
    #expect(stage.reports.map(\.summary) == ["unrecognised"])
    #expect(stage.notices.count == 1)
    #expect(Files.exists("\(file).damaged"))
    #expect(try stage.read(self.backend(otherValues())).summary == "unrecognised")
    #expect(wifi.flips == [])
    #expect(try stage.write(backend, true).failureKind == nil)
    #expect(try stage.read(backend) == .on)
  }

  @Test("a radio that was not read yet is read before it is known what to do with it")
  func unread() throws {
    wifi.latestReading = nil
    wifi.unread = .on
    bluetooth.latestReading = nil
    bluetooth.unread = .off
    let backend = try backend()
    #expect(stage.reports == [.off])
    #expect(try stage.write(backend, true).failureKind == nil)
    #expect(try stage.write(backend, false).failureKind == nil)
    #expect(wifi.flips == [false, true])
    #expect(bluetooth.flips == [])
  }

  @Test("a radio that never answers is named before the row's time is over")
  func mute() throws {
    bluetooth.isMute = true
    // No worker of the kernel's is waited for either.
    let values = StoredValues(
      directory: stage.directory.path("state"),
      writer: DurableWriter(loop: stage.loop, inPlace: true), notice: stage.note)
    let backend = try backend(values, timeout: .seconds(1))
    let result = try stage.write(backend, true)
    #expect(result.failureKind == .timedOut)
    if case .failure(let error) = result {
      #expect(error.message.hasPrefix("bluetooth can't be turned off: "), "\(error.message)")
    }
    #expect(wifi.latestReading == .on)
    #expect(try stage.read(backend) == .off)
  }

  @Test("flips that come while one is under way wait for its end, and each is answered")
  func inARow() throws {
    let backend = try backend()
    var ends: [Bool] = []
    for on in [true, false, true] {
      backend.write(on, for: .nobody) { ends.append($0.failureKind == nil) }
    }
    try stage.turn("three answers") { ends.count == 3 }
    #expect(ends == [true, true, true])
    #expect(wifi.flips == [false, true, false])
    #expect(try stage.read(backend) == .on)
  }

  @Test("a flip that the answer of another leads to begins once")
  func answeredByAFlip() throws {
    let backend = try backend()
    backend.write(true, for: .nobody) { _ in
      // One that takes its time is not turned on yet when the flip would begin again.
      wifi.isMute = true
      backend.write(false, for: .nobody) { _ in }
    }
    try stage.turn("the second flip") { wifi.flips.count > 1 }
    #expect(wifi.flips == [false, true])
    #expect(bluetooth.flips == [false, true])
  }

  @Test("one that is stopped by the answer of a flip begins no other")
  func answeredByAnEnd() throws {
    let backend = try backend()
    var isAnswered = false
    backend.write(true, for: .nobody) { _ in
      isAnswered = true
      backend.stop()
    }
    backend.write(false, for: .nobody) { _ in
      Issue.record("a stopped backend answered")
    }
    try stage.turn("the answer") { isAnswered }
    try stage.turn("an idle disk") { writer.isIdle }
    #expect(wifi.flips == [false])
  }

  @Test("where nothing can be written the flip fails with the reason, and no radio is touched")
  func unwritable() throws {
    try stage.directory.write("", to: "file")
    let nowhere = otherValues(in: "file/state")
    let result = try stage.write(backend(nowhere), true)
    #expect(result.failureKind == .backendFailed)
    if case .failure(let error) = result {
      #expect(error.message.contains("file/state"), "\(error.message)")
    }
    #expect(wifi.flips == [])
  }

  @Test("an adapter that flaps is not written down each time")
  func flapping() throws {
    let backend = try backend()
    #expect(try stage.write(backend, true).failureKind == nil)
    try stage.turn("an idle disk") { writer.isIdle }
    let before = try Files.status(file)
    for _ in 0..<100 {
      wifi.become(.unreadable(Problem(.noDevice, "gone")))
      wifi.become(.on)
    }
    try stage.loop.turn(atMost: .zero)
    #expect(wifi.latestReading == .off)
    #expect(try Files.status(file) == before)
    #expect(writer.isIdle)
  }
}
