// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// The clocks, random numbers and executors of a pipeline.
public struct PipelineEnvironment: Sendable {
  /// The clock for deadlines and waits.
  public var clock: any Clock<Duration>
  /// Returns the current time for the timestamps in ``PluginStatus``.
  public var now: @Sendable () -> MonotonicTime
  /// Creates the random number generator for restart delays; called once for each plugin.
  public var makeGenerator: @Sendable () -> any RandomNumberGenerator & Sendable
  /// The deadlines for stopping a plugin.
  public var stop: StopPolicy
  /// The executor of gates, stages and sinks that do not block; `nil` for Swift's shared pool.
  package var executor: (any TaskExecutor)?
  /// Creates the executor of a sink instance that may block; returns `nil` for Swift's shared pool.
  ///
  /// With a thread of its own, a blocked sink does not delay other plugins.
  var makeSinkExecutor: @Sendable () -> (any TaskExecutor)? = { PluginThread() }

  /// Creates an environment.
  ///
  /// - Parameters:
  ///   - clock: The clock for deadlines and waits.
  ///   - now: Returns the current time for the timestamps in ``PluginStatus``; by default the time
  ///     on `clock` since this call.
  ///   - stop: The deadlines for stopping a plugin.
  ///   - makeGenerator: Creates the random number generator for restart delays.
  public init(
    clock: any Clock<Duration> = ContinuousClock(),
    now: (@Sendable () -> MonotonicTime)? = nil, stop: StopPolicy = StopPolicy(),
    makeGenerator: @escaping @Sendable () -> any RandomNumberGenerator & Sendable = {
      SystemRandomNumberGenerator()
    }
  ) {
    self.clock = clock
    self.now = now ?? clock.readings()
    self.stop = stop
    self.makeGenerator = makeGenerator
  }
}

extension Clock where Duration == Swift.Duration {
  /// Returns a function that measures the time since this call.
  func stopwatch() -> @Sendable () -> Duration {
    let origin = now
    return { origin.duration(to: now) }
  }
}
