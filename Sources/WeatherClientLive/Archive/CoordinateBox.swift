// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Positioning

/// A bounding box in degrees that contains all points within a distance of a coordinate.
///
/// The box may contain points slightly farther away. A box across the 180th meridian has two ranges
/// of longitude. A box near a pole covers all longitudes.
struct CoordinateBox: Equatable, Sendable {
  private(set) var latitudes: ClosedRange<Double>
  private(set) var longitudes: ClosedRange<Double> = -180...180
  /// The range on the other side of the 180th meridian, or the same as `longitudes`.
  private(set) var longitudesBeyond: ClosedRange<Double> = -180...180

  init(around coordinate: Coordinate, meters: Double) {
    // A degree of latitude is at least 110.5 km. No distance on the globe exceeds 180 degrees.
    let degrees = min(max(0, meters) / 110_000, 180)
    let (latitude, longitude) = (coordinate.latitudeDegrees, coordinate.longitudeDegrees)
    latitudes = max(-90, latitude - degrees)...min(90, latitude + degrees)
    // The longitude range is widest at the edge that is nearer to a pole.
    let cosine = cos(min(90, abs(latitude) + degrees) * .pi / 180)
    guard cosine > 0.001, degrees / cosine < 180 else { return }
    let (west, east) = (longitude - degrees / cosine, longitude + degrees / cosine)
    longitudes = max(-180, west)...min(180, east)
    longitudesBeyond =
      west < -180 ? (west + 360)...180 : east > 180 ? -180...(east - 360) : longitudes
  }

  /// The limits: south, north, west and east, followed by west and east of `longitudesBeyond`.
  var bounds: [Double] {
    [latitudes, longitudes, longitudesBeyond].flatMap { [$0.lowerBound, $0.upperBound] }
  }
}
