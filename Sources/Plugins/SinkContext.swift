// SPDX-License-Identifier: Apache-2.0

package import Logging
package import Positioning

/// What a sink is given to do its work with.
package struct SinkContext: Sendable {
  /// The name it is reported under; `nil` for the plugin's own.
  package var name: String?
  /// Writes bytes to standard output; throws where nothing more can be written.
  package var write: @Sendable ([UInt8]) throws -> Void
  /// The present reading of the clock that fixes are received by.
  package var now: @Sendable () -> MonotonicTime
  /// The board's wall clock, for the age of what others have dated; `nil` where it is not known.
  package var utcNow: @Sendable () -> UTCTime?
  /// What waits are measured by.
  package var clock: any Clock<Duration>
  /// The log.
  package var logger: Logger
  /// Whether ages are written: not in a replay at once, where they mean nothing.
  package var isLive: Bool
  /// Whether colours may be used.
  package var usesColor: Bool
  /// What starts the programs of `exec`; `nil` for what starts processes of this board.
  package var launcher: (any ExecLauncher)?

  /// Makes a context.
  ///
  /// - Parameters:
  ///   - name: The name it is reported under.
  ///   - write: Writes bytes to standard output.
  ///   - now: The present reading of the clock.
  ///   - utcNow: The board's wall clock.
  ///   - clock: What waits are measured by.
  ///   - logger: The log.
  ///   - isLive: Whether ages are written.
  ///   - usesColor: Whether colours may be used.
  package init(
    name: String? = nil, write: @escaping @Sendable ([UInt8]) throws -> Void,
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
