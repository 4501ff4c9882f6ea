// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import Pipeline
internal import WeatherFeature

/// The reachability gate of `WeatherFeature` as a plugin.
package enum ReachabilityGatePlugin {
  private static let releaseDelay = SettingKey.number(
    "max_release_delay_seconds", in: 0...3600, default: 30,
    summary: "maximum random delay before lookups resume after a network loss")
  private static let expensiveInterval = SettingKey.seconds(
    "expensive_interval_seconds", in: 0...86_400, default: 0,
    summary: "minimum time between two lookups over a metered network path")
  private static let constrainedInterval = SettingKey.seconds(
    "constrained_interval_seconds", in: 0...86_400, default: 0,
    summary: "minimum time between two lookups over a network path in low-data mode")

  /// The plugin's entry in the catalogue.
  package static let plugin = Plugin.gate(
    ReachabilityGate.name, "holds the newest location while no provider is reachable",
    [
      releaseDelay.declaration, expensiveInterval.declaration, constrainedInterval.declaration,
    ], needsWeather: true,
    make: { settings, context throws(SettingsError) in
      let delay = try settings.value(of: releaseDelay)
      let expensive = try settings.value(of: expensiveInterval)
      let constrained = try settings.value(of: constrainedInterval)
      var timing = ReachabilityGateTiming()
      if delay > 0 { timing = .jittered(upTo: .seconds(delay)) }
      if expensive > .zero { timing.expensiveInterval = expensive }
      if constrained > .zero { timing.constrainedInterval = constrained }
      return ReachabilityGateRunner(
        monitor: context.monitor, timing: timing, clock: context.clock)
    })
}
