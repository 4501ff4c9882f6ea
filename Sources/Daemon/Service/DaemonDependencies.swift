// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import PathMonitorClient
internal import PathMonitorClientLive
internal import Pipeline
internal import Plugins
internal import Positioning
internal import Receivers
internal import SystemSupport

/// The daemon's dependencies on the system, which tests replace.
struct DaemonDependencies: Sendable {
  /// The monotonic clock, the random numbers for back-off, and the executor.
  var timing = Self.systemTiming
  /// The board's wall clock.
  var utcNow: @Sendable () -> UTCTime = { SystemClock.utcNow() }
  /// The wall clock, corrected by the receivers; `nil` to use ``utcNow`` as it is.
  var clock: BoardClock?
  /// Creates the sources.
  var factory = SourceFactory.system
  /// Monitors the network path.
  var paths = PathMonitorClient.live()
  /// Creates the weather client; if `nil`, the configured providers are used.
  var makeLookups: (@Sendable (WeatherSettings) -> ProviderPath)?
  /// Writes to standard output.
  var write: @Sendable ([UInt8]) throws -> Void = {
    try DescriptorOutput(descriptor: 1).write($0)
  }
  /// Starts the programs of `exec` plugins; if `nil`, they are started as processes on this board.
  var launcher: (any ExecLauncher)?

  /// The system's clocks, and an executor that wakes one thread per location.
  private static var systemTiming: PipelineEnvironment {
    var timing = PipelineEnvironment(now: MonotonicTime.now)
    timing.executor = SerialTaskExecutor(now: MonotonicTime.now)
    return timing
  }
}
