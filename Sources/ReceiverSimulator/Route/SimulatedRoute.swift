// SPDX-License-Identifier: Apache-2.0

package import Positioning
internal import Receivers

/// A route for a simulated receiver: an ordered list of waypoints.
package struct SimulatedRoute: Equatable, Sendable {
  /// A point of a route.
  package struct Waypoint: Equatable, Sendable {
    /// The position.
    package var coordinate: Coordinate
    /// Height in metres above mean sea level; `nil` if unknown.
    package var altitudeMetersAboveSeaLevel: Double?

    /// Makes a point.
    package init(coordinate: Coordinate, altitudeMetersAboveSeaLevel: Double? = nil) {
      self.coordinate = coordinate
      self.altitudeMetersAboveSeaLevel = altitudeMetersAboveSeaLevel
    }
  }

  /// The waypoints, at least one.
  package let waypoints: [Waypoint]

  /// Makes a route; `nil` if the list is empty.
  ///
  /// With one waypoint the receiver is stationary. A route whose ends are within 100 m of each
  /// other is driven as a loop; any other route is driven back and forth.
  package init?(waypoints: [Waypoint]) {
    guard !waypoints.isEmpty else { return nil }
    self.waypoints = waypoints
  }

  /// Reads the track of a GPX file, or its route if it has no track.
  ///
  /// Throws ``GPXError`` if the data has no points or an invalid point.
  package init(gpx bytes: [UInt8]) throws(GPXError) {
    waypoints = try GPXReader.waypoints(of: bytes)
  }

  /// Reads the track of a GPX file, or its route if it has no track.
  ///
  /// Throws ``ReplayError`` if the file cannot be read, ``GPXError`` if the file has no points or
  /// an invalid point.
  package init(gpxFile: String) throws {
    let reader = try ChunkReader(.file(gpxFile))
    var bytes: [UInt8] = []
    var chunk: [UInt8] = []
    repeat {
      try reader.next(into: &chunk)
      bytes += chunk
    } while !chunk.isEmpty && bytes.count <= GPXReader.maxByteCount
    try self.init(gpx: bytes)
  }

  private init(loop: [(Double, Double, Double)]) {
    waypoints = loop.compactMap { latitude, longitude, altitude in
      Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude).map {
        Waypoint(coordinate: $0, altitudeMetersAboveSeaLevel: altitude)
      }
    }
  }

  /// A loop of about six kilometres around Hyde Park and Kensington Gardens in London.
  package static let builtIn = SimulatedRoute(loop: [
    (51.5132, -0.1589, 29), (51.5124, -0.1672, 27), (51.5113, -0.1754, 25),
    (51.5102, -0.1871, 27), (51.5065, -0.1885, 30), (51.5025, -0.1880, 22),
    (51.5016, -0.1774, 18), (51.5022, -0.1605, 14), (51.5030, -0.1527, 13),
    (51.5075, -0.1555, 20), (51.5128, -0.1585, 28), (51.5132, -0.1589, 29),
  ])
}
