// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing
import WeatherClient
import WeatherClientLive

@testable import fixcast

@Suite("Places on the command line")
struct PlaceArgumentTests {
  @Test(
    arguments: [
      ("54.3,10.1", 54.3, 10.1), ("54.3 10.1", 54.3, 10.1), ("54.32, 10.13", 54.32, 10.13),
      ("  54.3 , 10.1 ", 54.3, 10.1), ("-33.9,151.2", -33.9, 151.2), ("-33.9 151.2", -33.9, 151.2),
      ("54.3,-10.1", 54.3, -10.1), ("54.3 -10.1", 54.3, -10.1), ("+54.3,+10.1", 54.3, 10.1),
      ("54 10", 54, 10), ("54, 10", 54, 10), ("54,10.5", 54, 10.5), ("54,-10", 54, -10),
      (".5,-.5", 0.5, -0.5), ("90.0,-180.0", 90, -180), ("10.13,154.32", 10.13, 154.32),
      ("−33.9,151.2", -33.9, 151.2),
      ("54°19'30\"N 10°8'0\"E", 54.325, 10 + 8 / 60.0),
      ("54°19'N 10°8'E", 54 + 19 / 60.0, 10 + 8 / 60.0),
      ("54 19 30 N, 10 8 0 E", 54.325, 10 + 8 / 60.0), ("54°19.5′N, 10°8.25′E", 54.325, 10.1375),
      ("54º19’30”n 10º8’0”e", 54.325, 10 + 8 / 60.0),
      ("N 54 19 30 E 10 8 0", 54.325, 10 + 8 / 60.0), ("N54.32 E10.13", 54.32, 10.13),
      ("N54.32,E10.13", 54.32, 10.13), ("10.13E 54.32N", 54.32, 10.13),
      ("54.32N,10.13E", 54.32, 10.13), ("33.9S 151.2E", -33.9, 151.2),
      ("54.3 N 10.1 W", 54.3, -10.1),
      ("0°30'S 0°30'W", -0.5, -0.5), ("-0°30', 10°0'", -0.5, 10),
      ("54°19' 10°8'", 54 + 19 / 60.0, 10 + 8 / 60.0),
      ("54 19 30, 10 8 0", 54.325, 10 + 8 / 60.0), ("54°19′30′′N 10°8′E", 54.325, 10 + 8 / 60.0),
    ] as [(String, Double, Double)])
  func `a coordinate is accepted in each form that people write`(
    _ text: String, _ latitude: Double, _ longitude: Double
  ) throws {
    guard case .coordinate(let coordinate) = try PlaceArgument(text) else {
      Issue.record("\(text) is not a coordinate")
      return
    }
    #expect(abs(coordinate.latitudeDegrees - latitude) < 1e-9, "\(text)")
    #expect(abs(coordinate.longitudeDegrees - longitude) < 1e-9, "\(text)")
  }

  @Test(arguments: [
    ("54,32", "54,32 is ambiguous: type 54.0,32.0 for two numbers; a number with a decimal comma is 54.32,"),
    ("-54,32", "type -54.0,32.0 for two numbers; a number with a decimal comma is -54.32,"),
    ("54,32 10", "54,32 10 is ambiguous: type 54.32,10 for a decimal comma, or a degree sign"),
    ("54,32 10.13", "54,32 10.13 is ambiguous: type 54.32,10.13 for a decimal comma"),
    ("54,0", "54,0 is ambiguous"), ("54,32 10,13", "has decimal commas; type 54.32,10.13"),
    ("54,32,10,13", "has decimal commas; type 54.32,10.13"),
    ("154.32,10.13", "154.32 is not a latitude (-90 to 90); if it is the longitude, type 10.13,154.32"),
    ("91,10", "91.0 is not a latitude (-90 to 90); if it is the longitude, type 10.0,91.0"),
    ("154.32 -10.13", "type -10.13,154.32"), ("91.0,181.0", "a longitude is -180 to 180"),
    ("91N 10E", "a latitude is -90 to 90"), ("54.3,999999999999999999999", "a latitude is"),
    ("54", "54 is not a coordinate; type one such as 54.32,10.13 or 54°19'N 10°8'E"),
    ("54.3,", "is not a coordinate"), (",54.3", "is not a coordinate"),
    ("54.3,,10.1", "is not a"),
    ("54.3,10.1,5.0", "is not a"), ("54 19 10 8", "is not a"), ("1 2 3 4 5", "is not a"),
    ("54°70'N 10°8'E", "is not a"), ("54°19'60\"N 10°8'E", "is not a"),
    ("54.5°19'N 10°8'E", "is not a"), ("54'19°N 10°8'E", "is not a"), ("54N 10N", "is not a"),
    ("54N 10", "is not a"), ("54 10E", "is not a"), ("N54 10E", "is not a"),
    ("-54N 10E", "is not a"),
    ("54N,10E,", "is not a"), ("N E 54 10", "is not a"), ("--54.3,10.1", "is not a"),
    ("5.4.3,10.1", "is not a"), ("54.3;10.1", "is not a"), ("1e1,0", "is not a"),
    ("°'\"5", "is not a"),
    ("54.3,10.1\u{0}", "is not a"), ("", "the place is empty"), ("   ", "the place is empty"),
    (String(repeating: "5", count: 201), "a place has at most 200 bytes"),
    (String(repeating: "5", count: 200), "is not a coordinate"),
  ])
  func `an ambiguous, swapped or invalid coordinate is refused with its reading`(_ text: String, _ message: String) {
    do throws(PlaceArgument.Fault) {
      Issue.record("\(text) is read as \(try PlaceArgument(text))")
    } catch {
      #expect(error.description.contains(message), "\(error)")
    }
  }

  @Test(arguments: [
    "Kiel", "Essen", "WESEN", "São Paulo", "100 Mile House", "Kiel, US", "nan,inf", "0x10,0",
  ])
  func `a text without digits or with other letters is a name`(_ text: String) throws {
    #expect(try PlaceArgument(text) == .name(text))
    #expect(try PlaceArgument("  " + text) == .name(text))
  }

  @Test func `a negative latitude is not an option, and a negative value of an option stays one`() {
    #expect(Fixcast.arguments(["weather", "--json", "-33.9", "-151.2"]) == ["weather", "--json", " -33.9", " -151.2"])
    let value = ["weather", "--timeout", "-5"]
    #expect(Fixcast.arguments(value) == value)
    #expect(Fixcast.arguments(["locate", "--timeout", "-5"]) == ["locate", "--timeout", "-5"])
  }

  private static func place(_ title: String, _ country: String, _ population: Int?) -> Place {
    var place = Place(id: 1, title: title, coordinate: .at(54.32, 10.13))
    (place.countryCode, place.population) = (country, population)
    return place
  }

  private static func choice(_ places: [Place], isExact: Bool, count: Int? = nil) -> PlaceChoice {
    var matches = PlaceNameMatches()
    (matches.places, matches.isExact, matches.count) = (places, isExact, count ?? places.count)
    return PlaceChoice("Kiel", matches)
  }

  @Test func `of several towns with one name the most populous is used, and the others are named`() throws {
    let towns = [Self.place("Kiel", "DE", 246_000), Self.place("Kiel", "US", 3700)]
    let choice = Self.choice(towns, isExact: true, count: 9)
    #expect(choice.place == towns[0])
    #expect(
      choice.message
        == "Kiel: using Kiel, DE 54.32,10.13, the most populous; others: Kiel, US 54.32,10.13; "
        + "and 7 more")
    #expect(Self.choice([towns[0]], isExact: true).message == nil)
  }

  @Test func `towns are listed for a choice if their populations are unknown or only their names begin`() throws {
    let unknown = [Self.place("Kiel", "DE", nil), Self.place("Kiel", "US", nil)]
    let beginning = [Self.place("Kielce", "PL", 9), Self.place("Kielty", "X", 8)]
    for (towns, isExact) in [(unknown, true), (beginning, false)] {
      let choice = Self.choice(towns, isExact: isExact)
      #expect(choice.place == nil)
      #expect(choice.message?.hasPrefix("Kiel: several towns; choose one by its ") == true)
    }
    let only = Self.choice([beginning[0]], isExact: false)
    #expect(only.place == beginning[0] && only.message == "Kiel: using Kielce, PL 54.32,10.13")
    #expect(Self.choice([], isExact: true).message?.contains("no such town") == true)
  }

  @Test func `a country or state after a comma restricts the search to it`() throws {
    #expect(PlaceChoice("Kiel, US", in: .geoNames).place?.countryCode == "US")
    #expect(PlaceChoice("Kiel,us", in: .geoNames).place?.countryCode == "US")
    #expect(PlaceChoice("Kiel", in: .geoNames).place?.countryCode == "DE")
    #expect(PlaceChoice("Kiel, Germany", in: .geoNames).place?.countryCode == "DE")
    #expect(PlaceChoice("Springfield, IL", in: .geoNames).place?.administrativeArea == "IL")
    #expect(PlaceChoice("Paris, Texas, USA", in: .geoNames).place?.administrativeArea == "TX")
    let france = PlaceChoice("Kiel, FR", in: .geoNames)
    #expect(france.place == nil)
    #expect(france.message?.hasPrefix("Kiel, FR: no such town; others: Kiel, DE 54.32,10.13; ") == true)
    let nowhere = try #require(PlaceChoice("Xyz, Texas", in: .geoNames).message)
    #expect(nowhere.hasPrefix("Xyz, Texas: no such town in the gazetteer; type a coordinate such as "))
  }

  @Test func `of towns with one name in the United States the states are named`() {
    #expect(
      PlaceChoice("Springfield", in: .geoNames).message
        == "Springfield: using Springfield, MO, US 37.22,-93.30, the most populous; others: "
        + "Springfield, MA, US 42.10,-72.59; Springfield, IL, US 39.80,-89.64; "
        + "Springfield, OR, US 44.05,-123.02; Springfield, OH, US 39.92,-83.81; and 17 more")
    #expect(
      PlaceChoice("Cancun", in: .geoNames).message
        == "Cancun: using Cancún, MX 21.17,-86.85; others: Changchun, CN 43.88,125.32")
  }
}
