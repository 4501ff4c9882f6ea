// SPDX-License-Identifier: Apache-2.0

package import FixcastConfiguration
package import Logging
package import Pipeline
package import Positioning
package import WeatherClient

/// What a stage is given to do its work with.
package struct StageContext: Sendable {
  /// The name it is reported under; `nil` for the plugin's own.
  package var name: String?
  /// Who is asked for places and for the weather.
  package var client: WeatherClient
  /// The present reading of the clock that locations are received by.
  package var now: @Sendable () -> MonotonicTime
  /// What waits are measured by.
  package var clock: any Clock<Duration>
  /// Takes what is to be told and is no event.
  package var logger: Logger

  /// Makes a context.
  ///
  /// - Parameters:
  ///   - name: The name it is reported under.
  ///   - client: Who is asked for places and for the weather.
  ///   - now: The present reading of the clock that locations are received by.
  ///   - clock: What waits are measured by.
  ///   - logger: Takes what is to be told and is no event.
  package init(
    name: String? = nil, client: WeatherClient, now: @escaping @Sendable () -> MonotonicTime,
    clock: any Clock<Duration> = ContinuousClock(), logger: Logger = Logger(label: "fixcast")
  ) {
    self.name = name
    self.client = client
    self.now = now
    self.clock = clock
    self.logger = logger
  }
}

/// A stage that can be asked for by name.
package struct StagePlugin: Sendable {
  /// The name it is asked for by.
  package let name: String
  /// What it does, in a sentence.
  package let summary: String
  /// The keys it takes, those that every plugin takes apart.
  package let settings: [SettingDeclaration]
  /// The keys among them that say how long one location may take.
  package var callKeys: [String] = []
  /// Makes one, which touches nothing before it runs; throws where the settings do not fit.
  package let make: @Sendable (SettingsTable, StageContext) throws(SettingsError) -> any Stage
}
