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

  /// Looks up a name, with an optional country code after a comma, as in `Kiel, US`.
  init(_ name: String, in gazetteer: Gazetteer) {
    var name = name
    var country: String?
    if let comma = name.lastIndex(of: ",") {
      let code = name[name.index(after: comma)...].filter { $0 != " " }
      if code.count == 2, code.allSatisfy({ $0.isASCII && $0.isLetter }) {
        (name, country) = (String(name[..<comma]), String(code))
      }
    }
    let matches = gazetteer.places(named: name, countryCode: country, limit: Self.maxListed)
    guard let country, matches.places.isEmpty else {
      self.init(name, matches)
      return
    }
    self.init(
      name, notIn: country.uppercased(),
      others: gazetteer.places(named: name, countryCode: nil, limit: Self.maxListed).places)
  }

  /// Lists the places of this name in other countries.
  private init(_ name: String, notIn code: String, others: [Place]) {
    place = nil
    let list = others.map(Self.text).joined(separator: "; ")
    message =
      others.isEmpty
      ? "\(name): no such town in any country; type a coordinate such as \(CoordinateText.forms)"
      : "\(name): no such town in the country \(code); others: \(list)"
  }

  /// Chooses a place: the only one, or the most populous of those with exactly this name.
  init(_ name: String, _ matches: PlaceNameMatches) {
    let places = matches.places
    let list = places.map(Self.text).joined(separator: "; ")
    let more =
      matches.count > places.count ? "; and \(matches.count - places.count) more" : ""
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
      message = "\(name): several towns; choose one by its coordinate: \(list)\(more)"
    } else if places.count > 1 {
      let others = places.dropFirst().map(Self.text).joined(separator: "; ")
      message = "\(name): using \(Self.text(first)), the most populous; others: \(others)\(more)"
    } else {
      message = matches.isExact ? nil : "\(name): using \(Self.text(first))"
    }
  }

  private static func text(_ place: Place) -> String {
    place.title + (place.countryCode.map { ", \($0)" } ?? "") + " "
      + Text.fixed(place.coordinate.latitudeDegrees, 2) + ","
      + Text.fixed(place.coordinate.longitudeDegrees, 2)
  }
}
