// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Pipeline
internal import Positioning

/// Runs a source, a location manager and a pipeline together until the source ends.
struct PipelineRun: Sendable {
  let session: SourceSession
  let manager: LocationManager
  let pipeline: LocationPipeline
  /// What is asked for where nobody has decided.
  var request = AuthorizationRequest.always
  /// After how long the source is ended; `nil` waits for its own end.
  var duration: Duration?
  /// Returns when somebody wants the source ended before.
  var interruption: @Sendable () async -> Void = { await PipelineRun.untilCancelled() }

  func run() async -> RunSummary {
    let feeder = PipelineFeeder(pipeline, request: request)
    manager.delegate = feeder
    // Before the source runs: a location that came before the delegate's first callback would
    // go to nobody. While nothing is decided, updates begin with the grant.
    manager.startUpdatingLocation()
    let name = session.source.name
    let source = session.source
    let manager = manager
    let (listening, listeners) = AsyncStream.makeStream(of: Never.self)
    let failure: String? = await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await pipeline.run()
        listeners.finish()
      }
      let failure = await run(source, while: listening) {
        feeder.ingest($0, into: manager, device: name)
      }
      if failure != nil { manager.sourceDidFail() }
      // What the manager still has to deliver comes before the end.
      await manager.waitUntilDelivered()
      pipeline.finish()
      await group.waitForAll()
      return failure
    }
    // The manager holds its delegate weakly.
    withExtendedLifetime(feeder) {}
    return RunSummary(
      input: session.counters, pipeline: pipeline.counters,
      droppedLocations: manager.droppedLocationCount, sourceFailure: failure)
  }

  /// Runs the source until it ends or fails, the time is over, or every sink has failed.
  private func run(
    _ source: some FixSource, while listening: AsyncStream<Never>,
    _ deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async -> String? {
    await withTaskGroup(of: String?.self) { group in
      group.addTask {
        do {
          try await source.run(delivering: deliver)
          return nil
        } catch {
          return "\(error)"
        }
      }
      if let duration {
        group.addTask {
          try? await Task.sleep(for: duration)
          return nil
        }
      }
      group.addTask {
        for await _ in listening {}
        return nil
      }
      group.addTask { [interruption] in
        await interruption()
        return nil
      }
      let failure = await group.next() ?? nil
      group.cancelAll()
      return failure
    }
  }

  /// Never ends by itself.
  static func untilCancelled() async {
    let (endless, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in endless {}
    withExtendedLifetime(continuation) {}
  }
}
