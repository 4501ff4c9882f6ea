// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import Pipeline
internal import WeatherFeature

/// The weather stage of `WeatherFeature` as a plugin.
package enum WeatherStagePlugin {
  private static let maxAgeSeconds = SettingKey.number(
    "max_age_seconds", in: 60...86_400, default: 1800,
    summary: "age after which the weather is looked up again")
  private static let distanceMeters = SettingKey.number(
    "distance_meters", in: 100...1_000_000, default: 5000,
    summary: "distance after which the weather is looked up again")
  private static let minSeconds = SettingKey.number(
    "min_seconds", in: 10...86_400, default: 60,
    summary: "minimum time between two lookups, including failed ones")

  /// The plugin's entry in the catalogue.
  package static let plugin = Plugin.stage(
    "weather", "looks up the weather at a location",
    [maxAgeSeconds.declaration, distanceMeters.declaration, minSeconds.declaration],
    needsWeather: true,
    make: { settings, context throws(SettingsError) in
      let policy = LookupPolicy(
        maximumAgeSeconds: try settings.value(of: maxAgeSeconds),
        distanceMeters: try settings.value(of: distanceMeters),
        minimumIntervalSeconds: try settings.value(of: minSeconds))
      guard policy.maximumAgeSeconds >= policy.minimumIntervalSeconds else {
        throw settings.error(
          .conflict("must be at most max_age_seconds"),
          in: "min_seconds")
      }
      return WeatherStage(
        client: context.client, policy: policy, clock: context.clock,
        changeCount: context.lookupChangeCount, now: context.now)
    })
}
