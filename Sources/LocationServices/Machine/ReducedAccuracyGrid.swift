// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Positioning

/// A grid over the globe that never moves, of cells about five kilometres wide.
///
/// Snapping to it cannot be averaged away, as noise could: all locations of a cell are one. The
/// bands are 0.05 degrees of latitude high (5.5 to 5.6 km); each is divided into as many equal
/// columns as leave them at least that wide in its middle. A cell may lie across a border between
/// countries, which Core Location promises to avoid and a grid cannot.
///
/// A board at the edge of two cells stays in the one it was in until it has left it by a tenth of
/// its width: standing still, it does not tell by flipping where the edge is.
struct ReducedAccuracyGrid: Equatable, Sendable {
  struct Cell: Hashable, Sendable {
    /// From the south pole, 0 to 3599.
    var band: Int
    /// From 180 degrees west, eastward.
    var column: Int
  }

  static let bandDegrees = 0.05
  private static let bandCount = 3600
  /// How far a board may leave its cell, as a part of the cell's width.
  static let slack = 0.1

  var current: Cell?

  /// The middle of the cell that the coordinate counts as in.
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
    // The meridian of 180 degrees east is that of 180 degrees west.
    return Cell(band: band, column: column >= columnCount(band) ? 0 : max(column, 0))
  }

  /// A cell by its numbers; `nil` where there is none such.
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

  /// How far from the middle of a cell a board may be that counts as in it, in metres.
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
    // A whole number over forty, so that what is told has few digits.
    Double(2 * band + 1 - bandCount) / 40
  }

  private static func columnCount(_ band: Int) -> Int {
    max(1, Int(360 / bandDegrees * cos(latitude(band) * .pi / 180)))
  }

  private static func columnDegrees(_ band: Int) -> Double { 360 / Double(columnCount(band)) }
}
