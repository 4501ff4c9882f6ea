// SPDX-License-Identifier: Apache-2.0

package import Logging
package import PathMonitorClient
package import Positioning
package import WeatherClient

/// The dependencies of a plugin.
package struct PluginContext: Sendable {
  /// The name it is reported under; `nil` for the plugin's own.
  package var name: String?
  /// Writes bytes to standard output; throws where nothing more can be written.
  package var write: @Sendable ([UInt8]) throws -> Void
  /// The present reading of the clock that fixes are received by.
  package var now: @Sendable () -> MonotonicTime
  /// The board's wall clock, for the age of dated values; `nil` where it is not known.
  package var utcNow: @Sendable () -> UTCTime?
  /// The clock that waits are measured by.
  package var clock: any Clock<Duration>
  /// The log.
  package var logger: Logger
  /// Whether ages are written: not in a replay at once, where they mean nothing.
  package var isLive: Bool
  /// Whether colours may be used.
  package var usesColor: Bool
  /// Starts the programs of `exec`; `nil` for processes of this board.
  package var launcher: (any ExecLauncher)?
  /// Looks up places and the weather; knows nothing by default.
  package var client = WeatherClient.empty
  /// The network paths; always satisfied by default.
  package var monitor = PathMonitorClient.satisfied

  package init(
    name: String? = nil, write: @escaping @Sendable ([UInt8]) throws -> Void = { _ in },
    now: @escaping @Sendable () -> MonotonicTime,
    utcNow: @escaping @Sendable () -> UTCTime? = { nil },
    clock: any Clock<Duration> = ContinuousClock(), logger: Logger = Logger(label: "fixcast"),
    isLive: Bool = true, usesColor: Bool = false
  ) {
    self.name = name
    self.write = write
    self.clock = clock
    self.logger = logger
    self.now = now
    self.utcNow = utcNow
    self.isLive = isLive
    self.usesColor = usesColor
  }
}
