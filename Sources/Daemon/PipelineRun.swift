// SPDX-License-Identifier: Apache-2.0

package import LocationServices
package import Pipeline
internal import Positioning

/// Runs a source, a location manager and a pipeline together until the source ends.
package struct PipelineRun: Sendable {
  private let session: SourceSession
  private let manager: LocationManager
  private let pipeline: LocationPipeline
  private let request: AuthorizationRequest
  private let duration: Duration?
  private let interruption: @Sendable () async -> Void

  /// Makes a run that has not begun.
  ///
  /// - Parameters:
  ///   - session: Where fixes come from.
  ///   - manager: Who decides what may be known of them.
  ///   - pipeline: Where locations go.
  ///   - request: What is asked for where nobody has decided.
  ///   - duration: After how long the source is ended; `nil` waits for its own end.
  ///   - interruption: Returns when somebody wants the source ended before.
  package init(
    session: SourceSession, manager: LocationManager, pipeline: LocationPipeline,
    request: AuthorizationRequest = .always, duration: Duration? = nil,
    interruption: @escaping @Sendable () async -> Void = { await PipelineRun.untilCancelled() }
  ) {
    self.session = session
    self.manager = manager
    self.pipeline = pipeline
    self.request = request
    self.duration = duration
    self.interruption = interruption
  }

  /// Runs until the source ends or fails, the time is over, or every sink has failed.
  package func run() async -> RunSummary {
    let feeder = LocationPipelineInput(pipeline, request: request)
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
  package static func untilCancelled() async {
    let (endless, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in endless {}
    withExtendedLifetime(continuation) {}
  }
}
