// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import FoundationXML
import LocationServices
import Positioning
import Testing

@testable import Plugins

@Suite("Tracks for other programs")
struct TrackEncoderTests {
  private static func location(_ seconds: Int64, east: Double) -> Location {
    .at(54.5, east, time: UTCTime(secondsSince1970: 1_248_432_426 + seconds)) {
      $0.altitudeMetersAboveSeaLevel = 40.8
      $0.altitudeMetersAboveEllipsoid = 84.4
      $0.source = "/dev/ttyUSB0"
    }
  }

  /// Two segments: two locations, then one after a gap.
  private static let locations = [
    location(0, east: 10), location(1, east: 10.5), location(1000, east: 11),
  ]

  private static func text(_ format: TrackFormat, _ locations: [Location]) -> String {
    var encoder = TrackEncoder(format)
    return locations.map { encoder.encode($0) }.joined() + encoder.finish()
  }

  @Test func `a GPX track begins a segment after a gap, and a track after a change of the source`() {
    var other = Self.location(1001, east: 12)
    other.source = "/dev/ttyUSB1"
    let text = Self.text(.gpx, Self.locations + [other])
    #expect(text.hasPrefix(GPXText.header) && text.hasSuffix("</trkseg></trk></gpx>\n"))
    #expect(text.components(separatedBy: "<trkseg>").count == 4)
    #expect(text.components(separatedBy: "<trk>").count == 3)
    #expect(text.contains("<time>2009-07-24T10:47:07Z</time>"))
    for text in [text, Self.text(.gpx, [])] {
      #expect(XMLParser(data: Data(text.utf8)).parse(), "\(text)")
    }
  }

  @Test func `a CSV track has a row for each location, with empty unknown values and quoted texts`() {
    var location = Self.location(0, east: -10)
    location.speedMetersPerSecond = 1.5
    location.source = "a \"b\", c"
    (location.isSimulated, location.isReplayed) = (true, true)
    #expect(
      Self.text(.csv, [Self.locations[0], location]) == CSVTrack.heading
        + "2009-07-24T10:47:06Z,54.50000000,10.00000000,40.80,84.40,,,,,,2,,,/dev/ttyUSB0,,\r\n"
        + "2009-07-24T10:47:06Z,54.50000000,-10.00000000,40.80,84.40,1.500,,,,,2,,,"
        + "\"a \"\"b\"\", c\",true,true\r\n")
    #expect(Self.text(.csv, []) == CSVTrack.heading)
    let columns = CSVTrack.heading.split(separator: ",").count
    #expect(CSVTrack.row(Self.locations[0]).components(separatedBy: ",").count == columns)
  }

  private struct Collection: Decodable {
    struct Feature: Decodable {
      struct Properties: Decodable {
        var time: String?, device: String?
        var simulated: Bool?, replayed: Bool?
      }
      struct Geometry: Decodable { var type: String }
      var type: String
      var properties: Properties
      var geometry: Geometry
    }
    var type: String
    var features: [Feature]
  }

  @Test func `a GeoJSON track is a collection of a line for each segment, or a point for one location`() throws {
    let text = Self.text(.geojson, Self.locations)
    let collection = try JSONDecoder().decode(Collection.self, from: Data(text.utf8))
    #expect(collection.type == "FeatureCollection")
    #expect(collection.features.map(\.geometry.type) == ["LineString", "Point"])
    #expect(collection.features.first?.properties.time == "2009-07-24T10:47:06.000Z")
    #expect(collection.features.first?.properties.device == "/dev/ttyUSB0")
    #expect(collection.features.first?.properties.replayed == nil)
    #expect(text.contains("[[10.00000000,54.50000000,84.40],[10.50000000,54.50000000,84.40]]"))
    var replayed = Self.locations[0]
    replayed.isReplayed = true
    let marked = Data(Self.text(.geojson, [replayed]).utf8)
    let features = try JSONDecoder().decode(Collection.self, from: marked).features
    #expect(features.map(\.properties.replayed) == [true])
    let empty = Self.text(.geojson, [])
    #expect(try JSONDecoder().decode(Collection.self, from: Data(empty.utf8)).features.isEmpty)
  }
}
