// SPDX-License-Identifier: Apache-2.0

import Plugins
import Positioning
import WeatherClient
import WeatherClientLive

/// The place that a name on the command line stands for.
struct PlaceChoice: Equatable {
  /// The maximum number of places in a message.
  private static let maxListed = 5

  /// The place; `nil` if there is none, or if the user has to choose.
  let place: Place?
  /// A message for the user: the other places, the places to choose from, or the failure.
  let message: String?
}

extension PlaceChoice {
  /// Looks up a name, with optional countries and US states after commas, as in `Kiel, Germany`.
  init(_ text: String, in gazetteer: Gazetteer) {
    let parts = text.split(separator: ",").map(String.init)
    let (name, regions) = (parts.first ?? text, Array(parts.dropFirst()))
    let matches = gazetteer.places(named: name, in: regions, limit: Self.maxListed)
    guard matches.places.isEmpty, !regions.isEmpty else {
      self.init(name, matches)
      return
    }
    let others = gazetteer.places(named: name, limit: Self.maxListed)
    guard others.isExact else {
      self.init(text, PlaceNameMatches())
      return
    }
    self.init(
      place: nil,
      message: "\(text): no such town; others: \(Self.list(others.places[...], of: others))")
  }

  /// Chooses a place: the only one, or the most populous of those with exactly this name.
  init(_ name: String, _ matches: PlaceNameMatches) {
    let places = matches.places
    guard let first = places.first else {
      place = nil
      message =
        "\(name): no such town in the gazetteer; type a coordinate such as \(CoordinateText.forms)"
      return
    }
    // Without the numbers of inhabitants, no place is more likely than another.
    let isCertain = places.count == 1 || (matches.isExact && first.population != nil)
    place = isCertain ? first : nil
    if !isCertain {
      message =
        "\(name): several towns; choose one by its coordinate: \(Self.list(places[...], of: matches))"
    } else if places.count > 1 {
      message =
        "\(name): using \(Self.text(first))\(matches.isMostPopulous ? ", the most populous" : "")"
        + "; others: \(Self.list(places.dropFirst(), of: matches))"
    } else {
      message = matches.isExact ? nil : "\(name): using \(Self.text(first))"
    }
  }

  /// Returns places as a list, with the number of those beyond the limit of the search.
  private static func list(_ places: ArraySlice<Place>, of matches: PlaceNameMatches) -> String {
    let more = matches.count - matches.places.count
    return (places.map(text) + (more > 0 ? ["and \(more) more"] : [])).joined(separator: "; ")
  }

  private static func text(_ place: Place) -> String {
    place.title + place.regionSuffix + " " + Text.fixed(place.coordinate.latitudeDegrees, 2) + ","
      + Text.fixed(place.coordinate.longitudeDegrees, 2)
  }
}
