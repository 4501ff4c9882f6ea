// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import LocationServices
import Positioning
import Synchronization
import Testing

@testable import Pipeline

/// Tasks that share threads, on a clock that the tests advance.
@Suite("Serial task executor", .timeLimit(.minutes(5)))
struct SerialTaskExecutorTests {
  private let clock = ManualClock()

  private func makeExecutor() throws -> SerialTaskExecutor {
    let now: @Sendable () -> MonotonicTime = { [clock] in
      MonotonicTime(nanoseconds: Int64(clock.now.offset / .nanoseconds(1)))
    }
    return try #require(SerialTaskExecutor(now: now))
  }

  /// The path of the current thread, relative to `/proc`.
  private static func currentThreadPath() -> String {
    var buffer = [CChar](repeating: 0, count: 64)
    let count = readlink("/proc/thread-self", &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private actor Counter {
    private(set) var threads: Set<String> = []
    func count() { threads.insert(SerialTaskExecutorTests.currentThreadPath()) }
  }

  @Test func `tasks, their children and the actors they call run on one thread and start in order`() async throws {
    let executor = try makeExecutor()
    let (counter, began) = (Counter(), EventRecorder<Int>())
    let tasks = (0..<50).map { number in
      Task(executorPreference: executor) {
        began.record(number)
        await counter.count()
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<4 { group.addTask { await counter.count() } }
        }
      }
    }
    for task in tasks { await task.value }
    #expect(began.events == Array(0..<50))
    #expect(await counter.threads.count == 1)
  }

  @Test func `a blocked task keeps its thread, and later tasks run on another thread`() async throws {
    let executor = try makeExecutor()
    var pipe: [Int32] = [-1, -1]
    try #require(Glibc.pipe(&pipe) == 0)
    let (input, output) = (pipe[0], pipe[1])
    defer { close(input) }
    let began = EventRecorder<String>()
    let stuck = Task(executorPreference: executor) {
      began.record(Self.currentThreadPath())
      var byte: UInt8 = 0
      _ = read(input, &byte, 1)
      return Self.currentThreadPath()
    }
    await began.wait(for: 1)
    // No other thread starts yet, because the task may be slow rather than blocked.
    let waiting = Task(executorPreference: executor) { Self.currentThreadPath() }
    clock.advance(by: .milliseconds(251))
    let other = await Task(executorPreference: executor) { Self.currentThreadPath() }.value
    #expect(await waiting.value == other)
    #expect(began.events != [other])
    close(output)
    #expect(await [stuck.value] == began.events)
  }

  /// Records the thread for each location, and forwards the location.
  private struct Probe: Sink, Stage, Gate {
    let name: String
    let seen: EventRecorder<String>
    private func recordThread() {
      seen.record("\(name) \(SerialTaskExecutorTests.currentThreadPath())")
    }
    func receive(_ event: any PipelineEvent) async throws {
      if event is EnrichedEvent { recordThread() }
    }
    func run(
      _ input: AsyncStream<EnrichedLocation>,
      pass: @escaping @Sendable (EnrichedLocation) -> Void,
      report: @escaping @Sendable (any PipelineEvent) -> Void
    ) async throws {
      for await value in input {
        recordThread()
        pass(value)
      }
    }
    func run(
      _ input: AsyncStream<EnrichedLocation>,
      deliver: @escaping @Sendable (EnrichedLocation) -> Void,
      report: @escaping @Sendable (any PipelineEvent) -> Void
    ) async throws {
      for await value in input {
        recordThread()
        deliver(value)
      }
    }
  }

  @Test func `plugins that do not block share a thread; each sink that may block has its own thread`() async throws {
    let seen = EventRecorder<String>()
    @Sendable func probe(_ name: String) -> Probe { Probe(name: name, seen: seen) }
    var quick = PluginSpecification("quick", .sink { probe("quick") })
    quick.mayBlock = false
    var environment = PipelineEnvironment()
    environment.executor = try makeExecutor()
    let pipeline = LocationPipeline(
      PipelinePlan([
        PluginSpecification("gate", .gate { probe("gate") }),
        PluginSpecification("stage", .stage { probe("stage") }), quick,
        PluginSpecification("slow", .sink { probe("slow") }),
      ]), environment: environment)
    let run = Task { await pipeline.run() }
    pipeline.submit(.at(1, 2))
    let threads = Dictionary(
      uniqueKeysWithValues: await seen.wait(for: 4).map { line in
        let words = line.split(separator: " ").map(String.init)
        return (words[0], words[1])
      })
    #expect(threads["gate"] == threads["stage"] && threads["gate"] == threads["quick"])
    #expect(threads["slow"] != nil && threads["slow"] != threads["gate"])
    run.cancel()
    _ = await run.value
  }

  /// Records the end of a thread.
  private final class ThreadEnd: Sendable {
    let recorder = EventRecorder<Bool>()
  }

  @Test func `the threads of a serial task executor end with the executor`() async throws {
    let threadEnd = ThreadEnd()
    var key = pthread_key_t()
    // Runs when the thread ends.
    pthread_key_create(&key) { value in
      guard let value else { return }
      Unmanaged<ThreadEnd>.fromOpaque(value).takeRetainedValue().recorder.record(true)
    }
    await Task(executorPreference: try makeExecutor()) { [key] in
      _ = pthread_setspecific(key, Unmanaged.passRetained(threadEnd).toOpaque())
    }.value
    #expect(await threadEnd.recorder.wait(for: 1) == [true])
    pthread_key_delete(key)
  }
}
