// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// What a pipeline measures time and throws dice by.
public struct PipelineEnvironment: Sendable {
  /// What deadlines and waits are measured by.
  public var clock: any Clock<Duration>
  /// The present reading of the clock that ages are counted by.
  public var now: @Sendable () -> MonotonicTime
  /// Makes what decides on the random part of waits, for each plugin one.
  public var makeGenerator: @Sendable () -> any RandomNumberGenerator & Sendable
  /// How long a plugin that is to stop is waited for.
  public var stop: StopPolicy
  /// What gates and stages run on, and sinks that need no thread of their own; `nil` for what all
  /// tasks share.
  package var executor: (any TaskExecutor)?
  /// Makes what an instance of a sink runs on, so that one that blocks blocks itself alone; `nil`
  /// for what all tasks share.
  var makeSinkExecutor: @Sendable () -> (any TaskExecutor)? = { PluginThread() }

  /// Makes an environment.
  ///
  /// - Parameters:
  ///   - clock: What deadlines and waits are measured by.
  ///   - now: The present reading of the clock that ages are counted by; by default of the same
  ///     clock, from when the environment was made.
  ///   - stop: How long a plugin that is to stop is waited for.
  ///   - makeGenerator: Makes what decides on the random part of waits.
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
  /// The time since this moment.
  func elapsed() -> @Sendable () -> Duration {
    let origin = now
    return { origin.duration(to: now) }
  }
}
