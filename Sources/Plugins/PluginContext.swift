// SPDX-License-Identifier: Apache-2.0

package import LocationServices
package import Logging
package import PathMonitorClient
package import Positioning
package import WeatherClient

/// The dependencies of a plugin.
package struct PluginContext: Sendable {
  /// The name in reports and in the status; `nil` for the plugin's default name.
  package var name: String?
  /// The version of the program; `nil` if it is unknown.
  package var version: String?
  /// Writes bytes to standard output; throws if the write fails.
  package var write: @Sendable ([UInt8]) throws -> Void
  /// Returns the current time of the clock that timestamps received fixes.
  package var now: @Sendable () -> MonotonicTime
  /// Returns the wall-clock time, for the age of dated values; `nil` if it is unknown.
  package var utcNow: @Sendable () -> UTCTime?
  /// The clock for deadlines and waits.
  package var clock: any Clock<Duration>
  /// The log.
  package var logger: Logger
  /// Whether to output ages; false in a replay without real time, where ages are meaningless.
  package var isLive: Bool
  /// Whether output may use colours.
  package var usesColor: Bool
  /// The units and the time zone of text for people.
  package var format = ValueFormat()
  /// Starts the programs of `exec`; `nil` to start processes of this system.
  package var launcher: (any ExecLauncher)?
  /// Looks up places and the weather; the default client finds nothing.
  package var client = WeatherClient.empty
  /// Returns the number of changes of the clock, the network path and the certificates so far.
  package var lookupChangeCount: @Sendable () -> UInt64 = { 0 }
  /// Monitors the network paths; the default paths are always satisfied.
  package var monitor = PathMonitorClient.satisfied
  /// Stores a report of the weather that another program looked up, with its age in seconds.
  package var receiveWeather: @Sendable (WeatherReport, Int64) -> Void = { _, _ in }
  /// The cell of positions with reduced accuracy, which all programs of the board share.
  package var reducedCell = ReducedCell.ofProcess

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
