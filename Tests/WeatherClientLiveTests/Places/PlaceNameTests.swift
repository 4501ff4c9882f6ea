// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing
import WeatherClient

@testable import WeatherClientLive

@Suite("Names of places")
struct PlaceNameTests {
  @Test(arguments: [
    ("Kiel", "Kiel", "DE"), ("KIEL", "Kiel", "DE"), (" kiel ", "Kiel", "DE"),
    ("zurich", "Zürich", "CH"), ("Zu\u{308}rich", "Zürich", "CH"),
    ("sao paulo", "São Paulo", "BR"),
    ("łódź", "Łódź", "PL"), ("saint denis", "Saint-Denis", "RE"), ("london", "London", "GB"),
  ])
  func `a search finds the most populous place, without regard to case, accents and hyphens`(
    _ name: String, _ title: String, _ country: String
  ) throws {
    let matches = Gazetteer.geoNames.places(named: name)
    let first = try #require(matches.places.first)
    #expect(matches.isExact && matches.count >= matches.places.count)
    #expect((first.title, first.countryCode) == (title, country))
    let populations = matches.places.map { $0.population ?? 0 }
    #expect(populations == populations.sorted(by: >) && matches.places.count <= 5)
    // The coordinate belongs to the name.
    #expect(Gazetteer.geoNames.place(id: first.id)?.coordinate == first.coordinate)
  }

  @Test func `without an exact match a search finds the names that begin with the text`() throws {
    let matches = Gazetteer.geoNames.places(named: "Frankfurt am", limit: 3)
    #expect(!matches.isExact && matches.places.first?.title == "Frankfurt am Main")
    let begin = Gazetteer.geoNames.places(named: "Kielc").places
    #expect(!begin.isEmpty && begin.allSatisfy { $0.title.hasPrefix("Kielc") })
  }

  @Test(arguments: ["Xyzzyx", "", " ", "Qx", "💥"])
  func `a search for a name that no place has is empty`(_ name: String) {
    #expect(Gazetteer.geoNames.places(named: name) == PlaceNameMatches())
  }

  @Test func `a search is limited to a country`() {
    let places = Gazetteer.geoNames.places(named: "Kiel", countryCode: "us").places
    #expect(!places.isEmpty && places.allSatisfy { $0.countryCode == "US" })
  }
}
