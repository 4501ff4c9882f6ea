// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import Pipeline
internal import WeatherFeature

/// The gate of `WeatherFeature` that goes by the network path, as a plugin.
package enum ReachabilityGatePlugin {
  private static let releaseDelay = SettingKey.number(
    "max_release_delay_seconds", in: 0...3600, default: 30,
    summary: "how long a release after a loss waits at most; each board waits for a part of it")
  private static let expensiveInterval = SettingKey.seconds(
    "expensive_interval_seconds", in: 0...86_400, default: 0,
    summary: "what lies between two lookups over a path whose bytes cost money, at least")
  private static let constrainedInterval = SettingKey.seconds(
    "constrained_interval_seconds", in: 0...86_400, default: 0,
    summary: "what lies between two lookups over a path whose bytes are to be saved, at least")

  /// The catalogue's entry.
  package static let plugin = Plugin.gate(
    ReachabilityGate.name, "holds the newest while no provider can be reached",
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
