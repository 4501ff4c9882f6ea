// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import LocationServices
import Pipeline
import Positioning
import Synchronization
import Testing

/// Sinks that block the thread they run on.
@Suite("Plugin host, blocked threads", .timeLimit(.minutes(5)))
struct BlockedThreadTests {
  /// Reads from a pipe without data, which blocks until the pipe is closed.
  private actor Blocked: Sink {
    let name = "blocked"
    private let descriptor: Int32
    private let began: EventRecorder<Int32>
    init(_ descriptor: Int32, _ began: EventRecorder<Int32>) {
      self.descriptor = descriptor
      self.began = began
    }
    func receive(_ event: any PipelineEvent) async throws {
      guard event is LocationEvent else { return }
      began.record(descriptor)
      var byte: UInt8 = 0
      _ = read(descriptor, &byte, 1)
    }
  }

  /// Records its thread, then writes to a pipe without a reader.
  private actor Writer: Sink {
    let name = "writer"
    private let descriptor: Int32
    private let began: EventRecorder<String>
    init(_ descriptor: Int32, _ began: EventRecorder<String>) {
      self.descriptor = descriptor
      self.began = began
    }
    func start() async throws { began.record(BlockedThreadTests.currentThreadPath()) }
    func receive(_ event: any PipelineEvent) async throws {
      guard event is LocationEvent else { return }
      began.record("writes")
      let bytes = [UInt8](repeating: 0x2E, count: 1 << 20)
      _ = write(descriptor, bytes, bytes.count)
    }
  }

  /// The path of the current thread in `/proc`.
  fileprivate static func currentThreadPath() -> String {
    var buffer = [CChar](repeating: 0, count: 64)
    let count = readlink("/proc/thread-self", &buffer, buffer.count)
    let name = buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }
    return "/proc/" + String(decoding: name, as: UTF8.self)
  }

  @Test
  func `a write that blocks for hours holds one thread, and the sink restarts when the write returns`() async throws {
    let clock = RecordingClock()
    var pipe: [Int32] = [-1, -1]
    try #require(Glibc.pipe(&pipe) == 0)
    let (input, output) = (pipe[0], pipe[1])
    defer { close(output) }
    let began = EventRecorder<String>()
    let good = ScriptedSink()
    var writer = PluginSpecification("writer", .sink { Writer(output, began) })
    writer.timeout = .seconds(30)
    var other = PluginSpecification("good", good.maker)
    other.timeout = nil
    let pipeline = LocationPipeline(
      PipelinePlan([writer, other]),
      environment: PipelineEnvironment(
        clock: clock, stop: StopPolicy(cancel: .seconds(5)),
        makeGenerator: { SeededGenerator(seed: 1) }))
    let run = Task { await pipeline.run() }
    pipeline.submit(.at(1, 2))
    // The deadline must be for the write, not for the earlier start.
    let thread = try #require(await began.wait(for: 2).first)
    await good.calls.wait { $0.contains(.took(1, by: 1)) }
    await clock.deadlines.wait { $0.contains(.seconds(30)) }
    clock.base.advance(by: .seconds(30))
    await clock.deadlines.wait { $0.contains(.seconds(35)) }
    clock.base.advance(by: .seconds(5))
    await good.calls.wait { $0.contains { if case .error = $0 { true } else { false } } }
    #expect(pipeline.status.first?.state == .blocked)
    clock.base.advance(by: .seconds(36_000))
    #expect(pipeline.status.first?.state == .blocked && began.events.count == 2)
    #expect(access(thread, F_OK) == 0)
    // Read from the pipe, so that the write returns; close the pipe, so that no later write blocks.
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    var count = 0
    while count < bytes.count { count += read(input, &bytes, bytes.count) }
    await clock.deadlines.wait { $0.contains { $0 > .seconds(36_035) && $0 < .seconds(36_036) } }
    #expect(pipeline.status.first?.state == .waiting)
    clock.base.advance(by: .seconds(1))
    await began.wait(for: 3)
    run.cancel()
    #expect(await run.value == .cancelled)
    close(input)
  }

  @Test func `more blocked sinks than processors do not delay other sinks, and are abandoned on cancel`() async throws {
    let clock = RecordingClock()
    var pipe: [Int32] = [-1, -1]
    try #require(Glibc.pipe(&pipe) == 0)
    let (input, output) = (pipe[0], pipe[1])
    let count = sysconf(Int32(_SC_NPROCESSORS_ONLN)) * 2 + 2
    let began = EventRecorder<Int32>()
    let good = ScriptedSink()
    let blocked = (0..<count).map { number in
      PluginSpecification("blocked \(number)", .sink { Blocked(input, began) })
    }
    let pipeline = LocationPipeline(
      PipelinePlan(blocked + [PluginSpecification("good", good.maker)]),
      environment: PipelineEnvironment(clock: clock, stop: StopPolicy(cancel: .seconds(2))))
    let run = Task { await pipeline.run() }
    pipeline.submit(.at(1, 2))
    await began.wait(for: count)
    pipeline.submit(.at(1, 2))
    await good.calls.wait { $0.contains(.took(2, by: 1)) }
    run.cancel()
    // The sink that is not blocked has the same deadline.
    await clock.deadlines.wait { $0.count { $0 == .seconds(2) } >= count + 1 }
    clock.base.advance(by: .seconds(2))
    #expect(await run.value == .cancelled)
    #expect(pipeline.status.prefix(count).allSatisfy { $0.abandonedCount == 1 })
    // Wake the blocked reads. The input stays open, so that no read uses a reused descriptor.
    close(output)
  }
}
