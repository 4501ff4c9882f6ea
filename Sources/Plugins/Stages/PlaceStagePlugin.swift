// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import Pipeline
internal import WeatherFeature

/// The place stage of `WeatherFeature` as a plugin.
package enum PlaceStagePlugin {
  /// The plugin's entry in the catalogue.
  package static let plugin = Plugin.stage(
    "place", "adds the name of the place",
    make: { _, context in PlaceStage(client: context.client) })
}
