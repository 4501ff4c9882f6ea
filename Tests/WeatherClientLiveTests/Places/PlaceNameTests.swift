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

  @Test(arguments: [
    ("Cologne", "Köln", "DE"), ("Roma", "Rome", "IT"), ("Kiev", "Kyiv", "UA"),
    ("München", "Munich", "DE"), ("Muenchen", "Munich", "DE"), ("Wien", "Vienna", "AT"),
    ("Praha", "Prague", "CZ"), ("Genève", "Geneva", "CH"), ("København", "Copenhagen", "DK"),
    ("Nürnberg", "Nuremberg", "DE"), ("Den Haag", "The Hague", "NL"), ("Lisboa", "Lisbon", "PT"),
    ("Milano", "Milan", "IT"), ("Napoli", "Naples", "IT"), ("Venezia", "Venice", "IT"),
    ("Warszawa", "Warsaw", "PL"), ("Bruxelles", "Brussels", "BE"), ("Bangalore", "Bengaluru", "IN"),
    ("New York", "New York City", "US"), ("nyc", "New York City", "US"), ("Москва", "Moscow", "RU"),
    ("МОСКВА", "Moscow", "RU"), ("Киі\u{308}в", "Kyiv", "UA"), ("Αθηνα", "Athens", "GR"),
    ("東京", "Tokyo", "JP"), ("서울", "Seoul", "KR"), ("القاهرة", "Cairo", "EG"),
    ("Washington DC", "Washington", "US"), ("St Louis", "St. Louis", "US"),
    ("Paris", "Paris", "FR"), ("London", "London", "GB"), ("Cancún", "Cancún", "MX"),
    ("Mexico", "Mexico City", "MX"), ("Calcutta", "Kolkata", "IN"), ("Lucerne", "Luzern", "CH"),
  ])
  func `a search finds a town above 50,000 people by any of its names`(
    _ name: String, _ title: String, _ country: String
  ) throws {
    let matches = Gazetteer.geoNames.places(named: name)
    let first = try #require(matches.places.first)
    #expect(matches.isExact && first.title == title && first.countryCode == country)
  }

  @Test func `a town of some size comes before larger towns with an alternate name, which are in the result`() {
    let cologne = Gazetteer.geoNames.places(named: "Cologne")
    #expect(cologne.places.map(\.title) == ["Köln", "Cologne", "Cologne"] && cologne.isMostPopulous)
    for name in ["Broken Hill", "Tolosa", "Olbia", "Valence", "Waterloo"] {
      #expect(Gazetteer.geoNames.places(named: name).places.first?.title == name)
    }
    let cancun = Gazetteer.geoNames.places(named: "Cancun")
    #expect(cancun.places.map(\.title) == ["Cancún", "Changchun"] && !cancun.isMostPopulous)
  }

  @Test(
    arguments: [
      ("Kiel", ["us"], "US", "WI"), ("Kiel", ["Germany"], "DE", nil), ("Springfield", ["IL"], "US", "IL"),
      ("Paris", ["Texas"], "US", "TX"), ("Paris", ["TX", "USA"], "US", "TX"), ("Tel Aviv", ["IL"], "IL", nil),
      ("London", ["england"], "GB", nil), ("Washington", ["D.C."], "US", "DC"),
      ("Tbilisi", ["Georgia"], "GE", nil), ("Atlanta", ["Georgia"], "US", "GA"),
      ("Den Haag", ["Netherlands"], "NL", nil), ("Abidjan", ["Côte d’Ivoire"], "CI", nil),
      ("Abidjan", ["ivory coast"], "CI", nil), ("Kiel", ["Germany", "US"], nil, nil),
    ] as [(String, [String], String?, String?)])
  func `a search is limited to countries and states by name or code`(
    _ name: String, _ regions: [String], _ country: String?, _ state: String?
  ) {
    let places = Gazetteer.geoNames.places(named: name, in: regions).places
    #expect(places.first?.countryCode == country && places.first?.administrativeArea == state)
    #expect(places.allSatisfy { $0.countryCode == country && $0.administrativeArea == state })
  }
}
