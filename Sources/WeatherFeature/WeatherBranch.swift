// SPDX-License-Identifier: Apache-2.0

package import Pipeline

/// The default gates and stages of the daemon, `watch`, `demo` and `replay`.
///
/// The place stage needs no network, so it precedes the gate and finds places while there is no
/// network. The gate precedes the weather stage, so no lookup starts without a network.
package enum WeatherBranch {
  /// The default gates and stages, in the order that locations pass them.
  package static let order = [
    PluginKey(.stage, "place"), PluginKey(.gate, ReachabilityGate.name),
    PluginKey(.stage, "weather"),
  ]

  /// Returns the gate and the stages in the same order.
  package static func plugins(
    _ place: PlaceStage, _ gate: ReachabilityGateRunner, _ weather: WeatherStage
  ) -> [PluginSpecification] {
    [
      PluginSpecification(place.name, .stage { place }),
      PluginSpecification(gate.name, .gate { gate }),
      PluginSpecification(weather.name, .stage { weather }),
    ]
  }
}
