// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import PathMonitorClient
internal import PathMonitorClientLive
internal import Pipeline
internal import Plugins
internal import Positioning
internal import Receivers
internal import SystemSupport

/// What the daemon has from outside: clocks, where sources come from, the network, its own output.
struct DaemonDependencies: Sendable {
  /// What waits and ages are measured by, and what decides on the random part of waits.
  var timing = Self.systemTiming
  /// The board's wall clock.
  var utcNow: @Sendable () -> UTCTime = { SystemClock.utcNow() }
  /// Where sources are made.
  var factory = SourceFactory.system
  /// Where network paths come from.
  var paths = PathMonitorClient.live()
  /// Makes what is asked for the weather; `nil` for the providers that the configuration names.
  var makeLookups: (@Sendable (WeatherSettings) -> ProviderPath)?
  /// Writes to standard output.
  var write: @Sendable ([UInt8]) throws -> Void = {
    try DescriptorOutput(descriptor: 1).write($0)
  }
  /// What starts the programs of `exec`; `nil` for what starts processes of this board.
  var launcher: (any ExecLauncher)?

  /// The system's clocks, and threads that are woken once for each location.
  private static var systemTiming: PipelineEnvironment {
    var timing = PipelineEnvironment(now: MonotonicTime.now)
    timing.executor = SerialTaskExecutor(now: MonotonicTime.now)
    return timing
  }
}
