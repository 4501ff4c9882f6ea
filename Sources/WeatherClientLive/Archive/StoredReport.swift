// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Positioning

/// A report as it is kept, with what it takes to ask whether it still stands.
struct StoredReport: Equatable, Sendable {
  /// The grid cell it was asked for.
  var coordinate: Coordinate
  /// Who answered.
  var provider: String
  /// When it came.
  var receivedAt: BoardTime
  /// The provider's `Last-Modified`, in its own words.
  var lastModified: String?
  /// The report itself, encoded.
  var body: [UInt8]

  /// The name of the cell: both degrees with two decimals.
  var cell: String { Self.cell(of: coordinate) }

  static func cell(of coordinate: Coordinate) -> String {
    let rounded = coordinate.roundedToGrid
    return "\(rounded.latitudeDegrees.inHundredths),\(rounded.longitudeDegrees.inHundredths)"
  }
}
