// SPDX-License-Identifier: Apache-2.0

internal import Positioning
public import WeatherClient

extension WeatherClient {
  /// The same client, with places from a gazetteer instead of its own.
  ///
  /// No coordinate leaves the board for a place's name. The weather at a place of the gazetteer is
  /// asked for at its coordinate, so that providers need know no numbers of places; that of any
  /// other place is `WeatherError.unsupported`.
  ///
  /// - Parameter gazetteer: Who knows the places.
  /// - Returns: The client.
  public func withPlaces(from gazetteer: Gazetteer = .geoNames) -> WeatherClient {
    let weather = weather
    return WeatherClient(
      searchLocations: { coordinate throws(WeatherError) in
        gazetteer.nearest(to: coordinate).map { [$0] } ?? []
      },
      weather: { target throws(WeatherError) in
        guard case .place(let id) = target else { return try await weather(target) }
        guard let place = gazetteer.place(id: id) else {
          throw .unsupported("place \(id), which is in no gazetteer here")
        }
        return try await weather(.coordinate(place.coordinate))
      })
  }
}
