// SPDX-License-Identifier: Apache-2.0

import DaemonClient
import LocationServices
import PathMonitorClientLive
import WeatherClientLive
import WeatherFeature

/// The feature on a board: its receiver, its network, and weather by the names of places.
@MainActor func liveModel(of manager: LocationManager) -> WeatherModel {
  WeatherModel(
    locationClient: .live(manager), pathMonitor: .live(),
    weatherClient: .openMeteo(OpenMeteo()).withPlaces(), clock: ContinuousClock())
}
