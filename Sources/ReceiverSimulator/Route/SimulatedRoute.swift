// SPDX-License-Identifier: Apache-2.0

package import Positioning
internal import Receivers

/// A way to drive: points on the ground in order, with heights where they are known.
package struct SimulatedRoute: Equatable, Sendable {
  /// One point of a route.
  package struct Waypoint: Equatable, Sendable {
    /// Where.
    package var coordinate: Coordinate
    /// Height in metres above mean sea level; `nil` where not given.
    package var altitudeMetersAboveSeaLevel: Double?

    /// Makes a point.
    package init(coordinate: Coordinate, altitudeMetersAboveSeaLevel: Double? = nil) {
      self.coordinate = coordinate
      self.altitudeMetersAboveSeaLevel = altitudeMetersAboveSeaLevel
    }
  }

  /// The points, at least one.
  package let waypoints: [Waypoint]

  /// Makes a route.
  ///
  /// One point is a receiver that stands still. A route whose ends are within 100 m of each other
  /// is driven round and round, any other there and back.
  ///
  /// - Parameter waypoints: The points; `nil` comes of an empty list.
  package init?(waypoints: [Waypoint]) {
    guard !waypoints.isEmpty else { return nil }
    self.waypoints = waypoints
  }

  /// Reads the track of a GPX file, or its route where it has no track.
  ///
  /// Throws ``GPXError`` with the line, where the file holds no points or a broken one.
  package init(gpx bytes: [UInt8]) throws(GPXError) {
    waypoints = try GPXReader.waypoints(of: bytes)
  }

  /// Reads the track of a GPX file, or its route where it has no track.
  ///
  /// Throws ``ReplayError`` where the file cannot be read, ``GPXError`` where it holds no points or
  /// a broken one.
  package init(gpxFile: String) throws {
    let reader = try ChunkReader(.file(gpxFile))
    var bytes: [UInt8] = []
    var chunk: [UInt8] = []
    repeat {
      try reader.next(into: &chunk)
      bytes += chunk
    } while !chunk.isEmpty && bytes.count <= GPXReader.largestByteCount
    try self.init(gpx: bytes)
  }

  private init(loop: [(Double, Double, Double)]) {
    waypoints = loop.compactMap { latitude, longitude, altitude in
      Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude).map {
        Waypoint(coordinate: $0, altitudeMetersAboveSeaLevel: altitude)
      }
    }
  }

  /// A round of some six kilometres about Hyde Park and Kensington Gardens in London.
  package static let builtIn = SimulatedRoute(loop: [
    (51.5132, -0.1589, 29), (51.5124, -0.1672, 27), (51.5113, -0.1754, 25),
    (51.5102, -0.1871, 27), (51.5065, -0.1885, 30), (51.5025, -0.1880, 22),
    (51.5016, -0.1774, 18), (51.5022, -0.1605, 14), (51.5030, -0.1527, 13),
    (51.5075, -0.1555, 20), (51.5128, -0.1585, 28), (51.5132, -0.1589, 29),
  ])
}
