// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import Pipeline
internal import WeatherFeature

/// The stage of `WeatherFeature` that names the place of a location, as a plugin.
package enum PlaceStagePlugin {
  /// The catalogue's entry.
  package static let plugin = Plugin.stage(
    "place", "names the place that a location is at",
    make: { _, context in PlaceStage(client: context.client) })
}
