// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Positioning
import ReceiverSimulator
import SystemSupport
import Testing

@testable import Receivers

/// The serial source on a pseudo-terminal, from open to hang-up.
@Suite(.timeLimit(.minutes(5))) struct SerialSourceTests {
  private typealias Event = RecordingDecoder.Event
  private let recorder = EventRecorder<RecordingDecoder.Event>()

  private func start(
    _ terminal: PseudoTerminal, silenceNanoseconds: Int64? = nil, baud: Int? = nil,
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void = { _ in }
  ) async -> (source: SerialSource, task: Task<Void, any Error>) {
    let source = SerialSource(devnode: terminal.devnode, baud: baud)
    let decoder = RecordingDecoder(recorder, silenceNanoseconds: silenceNanoseconds)
    return (source, await start(source, decoder, delivering: deliver))
  }

  /// Starts the source and returns when its port is open.
  ///
  /// Earlier bytes are discarded.
  private func start(
    _ source: SerialSource, _ decoder: some StreamDecoder,
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async -> Task<Void, any Error> {
    let opened = EventRecorder<Bool>()
    let task = Task {
      try await source.run(
        decoder: decoder, onOpen: { opened.record(true) }, delivering: deliver)
    }
    _ = await opened.wait(for: 1)
    return task
  }

  @Test func `after a run without sentences, the original settings of the port are restored`() async throws {
    let terminal = try PseudoTerminal()
    let descriptor = open(terminal.devnode, O_RDWR | O_NOCTTY)
    var before = termios()
    #expect(tcgetattr(descriptor, &before) == 0)
    cfsetispeed(&before, speed_t(B4800))
    cfsetospeed(&before, speed_t(B4800))
    before.c_lflag |= tcflag_t(ICANON | ECHO)
    #expect(tcsetattr(descriptor, TCSANOW, &before) == 0)
    SystemCall.close(descriptor)
    let (_, task) = await start(terminal, baud: 115_200)
    #expect(terminal.speedBaud == 115_200)
    task.cancel()
    try await task.value
    #expect(terminal.speedBaud == 4800)
    let port = open(terminal.devnode, O_RDWR | O_NOCTTY)
    defer { SystemCall.close(port) }
    var after = termios()
    #expect(tcgetattr(port, &after) == 0)
    #expect(after.c_lflag == before.c_lflag && after.c_iflag == before.c_iflag)
    #expect(after.c_cflag | tcflag_t(HUPCL) == before.c_cflag | tcflag_t(HUPCL))
  }

  @Test func `a serial source passes every byte to its decoder in order, with the arrival time`() async throws {
    let terminal = try PseudoTerminal()
    let before = MonotonicTime.now()
    let (source, task) = await start(terminal, baud: 9600)
    var sent: [UInt8] = []
    for round in 0..<50 {
      let bytes = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ round) }
      #expect(terminal.write(bytes) == bytes.count)
      sent += bytes
      let count = sent.count
      await recorder.wait { $0.allBytes.count >= count }
    }
    #expect(recorder.events.allBytes == sent)
    for case .bytes(_, let time) in recorder.events {
      let time = try #require(time)
      #expect(time >= before && time <= .now())
    }
    task.cancel()
    try await task.value
    #expect(source.counters.bytes == UInt64(sent.count))
    #expect(terminal.droppedByteCount == 0)
  }

  @Test func `a serial source delivers the events of its decoder`() async throws {
    let terminal = try PseudoTerminal()
    let delivered = EventRecorder<FixSourceEvent>()
    let (_, task) = await start(terminal) { delivered.record($0) }
    terminal.write([1])
    let events = await delivered.wait(for: 1)
    guard case .fix(let fix) = events[0] else { throw ExpectationError("no fix") }
    #expect(fix.receivedAt != nil)
    task.cancel()
    try await task.value
  }

  @Test func `a serial source completes an epoch at the silence deadline, and not earlier`() async throws {
    let terminal = try PseudoTerminal()
    let (_, task) = await start(terminal, silenceNanoseconds: 30_000_000)
    terminal.write([1, 2, 3])
    let events = await recorder.wait { events in
      events.contains { if case .silence = $0 { true } else { false } }
    }
    guard case .bytes(_, let received?) = events.first, case .silence(let completed) = events.last
    else { throw ExpectationError("\(events)") }
    #expect(completed >= received.advanced(byNanoseconds: 30_000_000))
    task.cancel()
    try await task.value
  }

  @Test func `a hang-up completes the open epoch and ends the run with an error`() async throws {
    let terminal = try PseudoTerminal()
    let (_, task) = await start(terminal)
    terminal.write([1])
    await recorder.wait(for: 1)
    terminal.hangUp()
    let error = await #expect(throws: SerialError.self) { try await task.value }
    #expect(error?.kind == .hangUp)
    #expect(error?.devnode == terminal.devnode)
    #expect(error?.description.contains("plug it in again") == true)
    #expect(recorder.events.last == .finish)
  }

  @Test func `a serial source that is cancelled while it waits ends without an error`() async throws {
    let terminal = try PseudoTerminal()
    let (_, task) = await start(terminal)
    terminal.write([1])
    await recorder.wait(for: 1)
    task.cancel()
    try await task.value
    #expect(!recorder.events.contains(.finish))
  }

  @Test func `a serial source that is cancelled before it starts opens no port`() async throws {
    let source = SerialSource(devnode: "/nonexistent")
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await source.run { _ in }
    }
    try await task.value
  }

  @Test func `a serial source can run several times`() async throws {
    let terminal = try PseudoTerminal()
    for round in 1...3 {
      let (_, task) = await start(terminal)
      terminal.write([UInt8(round)])
      await recorder.wait(for: round)
      task.cancel()
      try await task.value
    }
    #expect(recorder.events.allBytes == [1, 2, 3])
  }

  @Test func `when the run of a serial source returns, its port is closed and no longer exclusive`() async throws {
    let terminal = try PseudoTerminal()
    let observer = open(terminal.devnode, O_RDONLY | O_NOCTTY | O_CLOEXEC)
    defer { close(observer) }
    // 0x80045440 is TIOCGEXCL, which Swift does not import.
    func isExclusive() -> Bool {
      var exclusive: Int32 = -1
      return ioctl(observer, 0x8004_5440, &exclusive) == 0 && exclusive == 1
    }
    for _ in 0..<200 {
      let (_, task) = await start(terminal, baud: 9600)
      #expect(isExclusive())
      task.cancel()
      try await task.value
      #expect(!isExclusive())
    }
  }

  @Test func `the error for a devnode that cannot be opened contains the cause and remedy`() async {
    let missing = await #expect(throws: SerialError.self) {
      try await SerialSource(devnode: "/dev/there-is-none").run { _ in }
    }
    #expect(missing?.kind == .open)
    #expect(missing?.call == "open")
    #expect(
      missing?.description == "/dev/there-is-none: open: No such file or directory (errno 2); "
        + "plug the receiver in, then list the devices: fixcast devices")
    let null = await #expect(throws: SerialError.self) {
      try await SerialSource(devnode: "/dev/null").run { _ in }
    }
    #expect(null?.kind == .configure)
    #expect(null?.advice.contains("not a serial device") == true)
  }

  @Test func `a serial source delivers the fixes of a simulated receiver`() async throws {
    let terminal = try PseudoTerminal()
    var receiver = try SimulatedReceiver(.init(start: .init(secondsSince1970: 1_795_305_570)))
    let source = SerialSource(devnode: terminal.devnode)
    let fixes = EventRecorder<Fix>()
    let decoder = NMEADecoder(source: source.name, pace: .live)
    let task = await start(source, decoder) {
      if case .fix(let fix) = $0 { fixes.record(fix) }
    }
    var epochs: [SimulatedEpoch] = []
    for _ in 0..<5 {
      let epoch = receiver.nextEpoch()
      terminal.write(epoch.bytes)
      epochs.append(epoch)
      let count = epochs.count
      await fixes.wait(for: count)
    }
    for (fix, epoch) in zip(fixes.events, epochs) {
      #expect(fix.mode == .threeDimensional)
      #expect(fix.time == epoch.time)
      #expect(fix.source == terminal.devnode)
      let coordinate = try #require(fix.coordinate)
      #expect(
        coordinate.distanceMeters(to: epoch.coordinate) < epoch.horizontalErrorBoundMeters + 0.02)
    }
    task.cancel()
    try await task.value
  }
}
