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
  private let clock: any Clock<Duration>
  private let interruption: @Sendable () async -> Void

  /// Creates a run without starting it.
  ///
  /// - Parameters:
  ///   - session: The source of fixes.
  ///   - manager: Authorizes and filters the fixes.
  ///   - pipeline: Receives the locations.
  ///   - request: The request made while the authorization is not determined.
  ///   - duration: The time after which the source is cancelled; `nil` for no limit.
  ///   - clock: Measures the duration.
  ///   - interruption: A function that suspends; the source is cancelled when it returns.
  package init(
    session: SourceSession, manager: LocationManager, pipeline: LocationPipeline,
    request: AuthorizationRequest = .always, duration: Duration? = nil,
    clock: any Clock<Duration> = ContinuousClock(),
    interruption: @escaping @Sendable () async -> Void = { await PipelineRun.untilCancelled() }
  ) {
    self.session = session
    self.manager = manager
    self.pipeline = pipeline
    self.request = request
    self.duration = duration
    self.clock = clock
    self.interruption = interruption
  }

  /// Runs until the source ends or fails, the duration has passed, `interruption` returns, or every
  /// sink has failed.
  package func run() async -> RunSummary {
    let pipelineInput = LocationPipelineInput(pipeline, request: request)
    manager.delegate = pipelineInput
    // Start updates before the source runs. Otherwise, a location that arrives before the
    // delegate's first callback would be lost. If authorization is not determined, updates begin
    // when authorization is granted.
    manager.startUpdatingLocation()
    let name = session.source.name
    let source = session.source
    let manager = manager
    // This stream ends when the pipeline ends.
    let (pipelineEnd, pipelineEndContinuation) = AsyncStream.makeStream(of: Never.self)
    let failure: String? = await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await pipeline.run()
        pipelineEndContinuation.finish()
      }
      let failure = await run(source, until: pipelineEnd) {
        pipelineInput.ingest($0, into: manager, device: name)
      }
      if failure != nil { manager.sourceDidFail() }
      // The pipeline must receive the manager's pending locations before its input ends.
      await manager.waitUntilDelivered()
      pipeline.finish()
      await group.waitForAll()
      return failure
    }
    // The manager holds its delegate weakly.
    withExtendedLifetime(pipelineInput) {}
    return RunSummary(
      input: session.counters, pipeline: pipeline.counters,
      droppedLocations: manager.droppedLocationCount, sourceFailure: failure)
  }

  /// Runs the source as `run()` describes, and returns the source's error.
  private func run(
    _ source: some FixSource, until pipelineEnd: AsyncStream<Never>,
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
        group.addTask { [clock] in
          try? await clock.sleep(for: duration)
          return nil
        }
      }
      group.addTask {
        for await _ in pipelineEnd {}
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

  /// Suspends until the task is cancelled.
  package static func untilCancelled() async {
    let (endless, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in endless {}
    withExtendedLifetime(continuation) {}
  }
}
