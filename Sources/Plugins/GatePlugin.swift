// SPDX-License-Identifier: Apache-2.0

package import FixcastConfiguration
package import PathMonitorClient
package import Pipeline
package import Positioning

/// What a gate is given to do its work with.
package struct GateContext: Sendable {
  /// The present reading of the clock that locations are received by.
  package var now: @Sendable () -> MonotonicTime
  /// What waits are measured by.
  package var clock: any Clock<Duration>
  /// Where network paths come from.
  package var monitor: PathMonitorClient

  /// Makes a context.
  ///
  /// - Parameters:
  ///   - now: The present reading of the clock that locations are received by.
  ///   - clock: What waits are measured by.
  ///   - monitor: Where network paths come from.
  package init(
    now: @escaping @Sendable () -> MonotonicTime, clock: any Clock<Duration> = ContinuousClock(),
    monitor: PathMonitorClient
  ) {
    self.now = now
    self.clock = clock
    self.monitor = monitor
  }
}

/// A gate that can be asked for by name.
package struct GatePlugin: Sendable {
  /// The name it is asked for by.
  package let name: String
  /// What it does, in a sentence.
  package let summary: String
  /// The keys it takes, those that every plugin takes apart.
  package let settings: [SettingDeclaration]
  /// Makes one, which touches nothing before it runs; throws where the settings do not fit.
  package let make: @Sendable (SettingsTable, GateContext) throws(SettingsError) -> any Gate
}
