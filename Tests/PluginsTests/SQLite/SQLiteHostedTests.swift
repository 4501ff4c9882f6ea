// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import LocationServices
import Pipeline
import Positioning
import SQLiteStore
import Synchronization
import Testing

@testable import Plugins

/// The SQLite sink in a pipeline, on a clock that the tests advance, including batches that cannot
/// be written.
@Suite("SQLite track in a pipeline", .timeLimit(.minutes(5)))
struct SQLiteHostedTests {
  private struct Recording: Sink {
    let name = "recording"
    let seen: EventRecorder<ErrorEvent>
    func receive(_ event: any PipelineEvent) async {
      if let event = event as? ErrorEvent { seen.record(event) }
    }
  }

  /// A connection of another program, which holds the write lock.
  private final class WriteLockHolder: Sendable {
    private let connection: Mutex<SQLiteDatabase?>

    init(_ path: String) throws {
      let database = try SQLiteDatabase(path: path, layout: TrackDatabase.layout)
      try database.run("BEGIN IMMEDIATE")
      connection = Mutex(database)
    }

    func release() { connection.withLock { $0 = nil } }
  }

  private let clock = RecordingClock()
  private final class Scratch {
    let folder: ScratchFolder
    init() throws { folder = try ScratchFolder() }
  }

  private let scratch: Scratch
  private let errors = EventRecorder<ErrorEvent>()
  private var path: String { scratch.folder.path + "/track.sqlite" }

  init() throws { scratch = try Scratch() }

  private func pipeline(
    onReceive: @escaping @Sendable () -> Void = {}, onWrite: @escaping @Sendable () -> Void = {}
  ) -> LocationPipeline {
    let now: @Sendable () -> MonotonicTime = { [clock] in
      MonotonicTime(nanoseconds: Int64(clock.now.offset / .nanoseconds(1)))
    }
    var options = SQLiteSink.Options(file: path)
    options.batchSeconds = 50
    options.commitSeconds = 50
    var track = PluginSpecification(
      "track",
      .sink { [options] in
        SQLiteSink(
          options: options,
          now: {
            onReceive()
            return now()
          },
          utcNow: {
            onWrite()
            return nil
          })
      }, mailbox: .dropNewest(limit: 100))
    // Disable the call deadline, which would expire at the same time as the batch's deadline.
    track.timeout = nil
    let other = PluginSpecification("other", .sink { [errors] in Recording(seen: errors) })
    return LocationPipeline(
      PipelinePlan([track, other]),
      environment: PipelineEnvironment(clock: clock, now: now, makeGenerator: { SeededGenerator(seed: 1) }))
  }

  /// Submits three points and waits until the sink has batched them.
  private func batchPoints(in pipeline: LocationPipeline) async {
    for second in 0..<3 as Range<Int64> {
      pipeline.submit(.at(51.5, time: UTCTime(secondsSince1970: 1_763_726_400 + second)))
    }
    await pipeline.waitUntilDrained()
    await clock.deadlines.wait { $0.contains(.seconds(50)) }
  }

  private func track(_ pipeline: LocationPipeline) throws -> PluginStatus {
    try #require(pipeline.status.first { $0.name == "track" })
  }

  private func rowCount() throws -> Int {
    try SQLiteDatabase(path: path, layout: TrackDatabase.layout).rows("SELECT id FROM track").count
  }

  @Test func `a batch that cannot be written is reported at once, and is written after a restart`() async throws {
    let pipeline = pipeline()
    let run = Task { await pipeline.run() }
    await batchPoints(in: pipeline)
    let batched = try track(pipeline)
    #expect(batched.batchedCount == 3 && batched.queueDepth == 0 && batched.outCount == 0)
    let lockHolder = try WriteLockHolder(path)
    clock.base.advance(by: .seconds(50))
    await errors.wait(for: 1)
    #expect(errors.events.first?.source == "track")
    #expect(errors.events.first?.message.contains("locked by another program") == true)
    let failed = try track(pipeline)
    #expect(failed.state == .waiting && failed.errorCount == 1 && failed.outCount == 0)
    #expect(failed.droppedCount == 0 && failed.queueDepth == 3)
    lockHolder.release()
    // Wait for the restart delay.
    await clock.deadlines.wait { $0.contains { $0 > .seconds(50) && $0 <= .seconds(51) } }
    clock.base.advance(by: .seconds(1))
    pipeline.finish()
    #expect(await run.value == .finished)
    let status = try track(pipeline)
    #expect(status.outCount == 3 && status.droppedCount == 0 && status.restartCount == 1)
    #expect(try rowCount() == 3)
  }

  @Test func `a batch that cannot be written when the pipeline ends is counted as lost and reported`() async throws {
    let pipeline = pipeline()
    let run = Task { await pipeline.run() }
    await batchPoints(in: pipeline)
    let lockHolder = try WriteLockHolder(path)
    pipeline.finish()
    #expect(await run.value == .finished)
    let status = try track(pipeline)
    #expect(status.outCount == 0 && status.droppedCount == 3 && status.errorCount == 1)
    #expect(status.lastError?.description.contains("locked by another program") == true)
    lockHolder.release()
    #expect(try rowCount() == 0)
  }

  @Test func `a batch that has waited long enough is written on the sink's own thread`() async throws {
    let received = Mutex<Set<pthread_t>>([])
    let writes = EventRecorder<pthread_t>()
    let pipeline = pipeline(
      onReceive: { received.withLock { _ = $0.insert(pthread_self()) } },
      onWrite: { writes.record(pthread_self()) })
    let run = Task { await pipeline.run() }
    await batchPoints(in: pipeline)
    clock.base.advance(by: .seconds(50))
    await writes.wait(for: 1)
    let threads: Set<pthread_t> = received.withLock { $0 }
    #expect(threads.count == 1 && Set(writes.events) == threads)
    pipeline.finish()
    #expect(await run.value == .finished)
    #expect(try rowCount() == 3)
  }
}
