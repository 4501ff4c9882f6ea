// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Positioning

/// A fixed global grid of cells about five kilometres wide.
///
/// Unlike noise, snapping to the grid cannot be averaged away, because all locations in a cell
/// become the same point. The bands are 0.05 degrees of latitude high (5.5 to 5.6 km). Each band is
/// divided into as many equal columns as possible; in the middle of the band, a column is at least
/// as wide as the band is high. A cell may cross a national border, which Core Location promises to
/// avoid.
///
/// A board keeps its cell until it is outside by more than a tenth of the cell's size. A stationary
/// board at a border therefore does not alternate between two cells, which would reveal the border.
struct ReducedAccuracyGrid: Equatable, Sendable {
  struct Cell: Hashable, Sendable {
    /// The index from the south pole, 0 to 3599.
    var band: Int
    /// The index from 180 degrees west, eastward.
    var column: Int
  }

  static let bandDegrees = 0.05
  private static let bandCount = 3600
  /// The distance by which a board may leave its cell, as a fraction of the cell's size.
  static let slack = 0.1

  var current: Cell?

  /// Returns the cell for a coordinate; keeps the current cell near the border of that cell.
  mutating func snap(_ coordinate: Coordinate) -> Cell {
    if let current, Self.isNear(coordinate, current) { return current }
    let cell = Self.cell(of: coordinate)
    current = cell
    return cell
  }

  static func cell(of coordinate: Coordinate) -> Cell {
    let band = min(
      max(Int((coordinate.latitudeDegrees + 90) / bandDegrees), 0), bandCount - 1)
    let step = columnDegrees(band)
    let column = Int((coordinate.longitudeDegrees + 180) / step)
    // 180 degrees east is the same meridian as 180 degrees west.
    return Cell(band: band, column: column >= columnCount(band) ? 0 : max(column, 0))
  }

  /// Returns the cell with these indices; `nil` if they are out of range.
  static func cell(band: Int, column: Int) -> Cell? {
    guard (0..<bandCount).contains(band), (0..<columnCount(band)).contains(column) else {
      return nil
    }
    return Cell(band: band, column: column)
  }

  static func center(of cell: Cell) -> Coordinate? {
    Coordinate(
      latitudeDegrees: latitude(cell.band),
      longitudeDegrees: -180 + (Double(cell.column) + 0.5) * columnDegrees(cell.band))
  }

  /// Returns the largest distance from the center, in metres, at which a board keeps the cell.
  static func reachMeters(_ cell: Cell) -> Double {
    guard let center = center(of: cell) else { return 0 }
    let halfHeight = bandDegrees * (0.5 + slack)
    let halfWidth = min(columnDegrees(cell.band) * (0.5 + slack), 180)
    var reach = 0.0
    for latitude in [center.latitudeDegrees - halfHeight, center.latitudeDegrees + halfHeight] {
      let longitude = (center.longitudeDegrees + halfWidth).remainder(dividingBy: 360)
      let corner = Coordinate(
        latitudeDegrees: min(max(latitude, -90), 90), longitudeDegrees: longitude)
      if let corner { reach = max(reach, center.distanceMeters(to: corner)) }
    }
    return reach
  }

  private static func isNear(_ coordinate: Coordinate, _ cell: Cell) -> Bool {
    guard let center = center(of: cell) else { return false }
    let north = abs(coordinate.latitudeDegrees - center.latitudeDegrees)
    let east = abs(
      (coordinate.longitudeDegrees - center.longitudeDegrees).remainder(dividingBy: 360))
    return north <= bandDegrees * (0.5 + slack)
      && east <= columnDegrees(cell.band) * (0.5 + slack)
  }

  private static func latitude(_ band: Int) -> Double {
    // A whole number divided by 40, so that reported coordinates have few digits.
    Double(2 * band + 1 - bandCount) / 40
  }

  private static func columnCount(_ band: Int) -> Int {
    max(1, Int(360 / bandDegrees * cos(latitude(band) * .pi / 180)))
  }

  private static func columnDegrees(_ band: Int) -> Double { 360 / Double(columnCount(band)) }
}
