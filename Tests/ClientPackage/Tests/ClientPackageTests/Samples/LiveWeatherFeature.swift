// SPDX-License-Identifier: Apache-2.0

import DaemonClient
import LocationServices
import PathMonitorClientLive
import WeatherClientLive
import WeatherFeature

/// Returns the model with the receiver and the network of the board, and with named places.
@MainActor func liveModel(of manager: LocationManager) -> WeatherModel {
  WeatherModel(
    locationClient: .live(manager), pathMonitor: .live(),
    weatherClient: .openMeteo(OpenMeteo()), clock: ContinuousClock())
}
