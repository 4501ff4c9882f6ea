// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import LocationServices
import Pipeline
import Synchronization
import Testing

/// Sinks that block the thread they run on.
@Suite("Plugin host, blocked threads", .timeLimit(.minutes(1)))
struct BlockedThreadTests {
  /// Reads from a pipe that nothing comes through, until it is closed.
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

  @Test("more of them than the board has processors hold up nobody, and are abandoned")
  func blocked() async throws {
    let clock = LoudClock()
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
    pipeline.submit(Location(coordinate: .at(1, 2)))
    await began.wait(for: count)
    pipeline.submit(Location(coordinate: .at(1, 2)))
    await good.calls.wait { $0.contains(.took(2, by: 1)) }
    run.cancel()
    await clock.deadlines.wait { $0.count { $0 == .seconds(2) } >= count }
    clock.base.advance(by: .seconds(2))
    #expect(await run.value == .cancelled)
    #expect(pipeline.status.prefix(count).allSatisfy { $0.abandonedCount == 1 })
    // Wakes them; the other end stays open, so that none reads what is another's by then.
    close(output)
  }
}
