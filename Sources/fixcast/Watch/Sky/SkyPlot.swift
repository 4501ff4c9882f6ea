// SPDX-License-Identifier: Apache-2.0

import Glibc
import Positioning

/// A polar plot of the sky: north is up, the zenith is in the middle, the circle is the horizon.
///
/// A used satellite is a filled mark and an unused satellite is a hollow mark, each beside its name.
struct SkyPlot: Equatable, Sendable {
  static let (usedMark, unusedMark): (Character, Character) = ("●", "○")
  /// The smallest and largest distance in rows from the zenith to the horizon.
  static let radii = 4...12

  /// The distance in rows from the zenith to the horizon.
  let radius: Int
  private var cells: [[Character]]

  /// The size; a row is about as high as two columns are wide.
  static func columns(radius: Int) -> Int { 4 * radius + 1 }
  static func rows(radius: Int) -> Int { 2 * radius + 1 }

  /// Returns the largest radius that fits; `nil` if not even the smallest plot fits.
  static func radius(columns: Int, rows: Int) -> Int? {
    let radius = min((columns - 1) / 4, (rows - 1) / 2, radii.upperBound)
    return radius >= radii.lowerBound ? radius : nil
  }

  /// Draws satellites; the first satellites are the first to be named where names collide.
  init(_ satellites: [SkySatellite], radius: Int) {
    self.radius = min(max(radius, 1), Self.radii.upperBound)
    let (columns, rows) = (Self.columns(radius: self.radius), Self.rows(radius: self.radius))
    cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
    drawHorizon()
    let placed = satellites.compactMap { satellite in
      cell(satellite).map { (satellite: satellite, cell: $0) }
    }
    // Marks come first, so that no name covers the mark of another satellite.
    for (satellite, cell) in placed {
      let mark = satellite.isUsed ? Self.usedMark : Self.unusedMark
      if cells[cell.row][cell.column] != Self.usedMark { cells[cell.row][cell.column] = mark }
    }
    for (satellite, cell) in placed { write(satellite.name, at: cell) }
  }

  /// The lines, all as wide as the plot.
  var lines: [String] { cells.map { String($0) } }

  private mutating func drawHorizon() {
    for degrees in stride(from: 0.0, to: 360, by: 360 / Double(12 * radius)) {
      let (row, column) = cell(azimuthDegrees: degrees, elevationDegrees: 0)
      cells[row][column] = "·"
    }
    cells[radius][2 * radius] = "+"
    cells[0][2 * radius] = "N"
    cells[2 * radius][2 * radius] = "S"
    cells[radius][4 * radius] = "E"
    cells[radius][0] = "W"
  }

  private func cell(_ satellite: SkySatellite) -> (row: Int, column: Int)? {
    guard let elevation = satellite.elevationDegrees, let azimuth = satellite.azimuthDegrees,
      elevation.isFinite, azimuth.isFinite
    else { return nil }
    return cell(azimuthDegrees: azimuth, elevationDegrees: elevation)
  }

  private func cell(azimuthDegrees: Double, elevationDegrees: Double) -> (row: Int, column: Int) {
    let distance = (90 - min(max(elevationDegrees, 0), 90)) / 90 * Double(radius)
    let angle = azimuthDegrees * .pi / 180
    let north = Int((distance * Glibc.cos(angle)).rounded())
    let east = Int((2 * distance * Glibc.sin(angle)).rounded())
    return (
      min(max(radius - north, 0), 2 * radius), min(max(2 * radius + east, 0), 4 * radius)
    )
  }

  /// Writes a name beside its mark: to the right, else to the left, else nowhere.
  private mutating func write(_ name: String, at cell: (row: Int, column: Int)) {
    let letters = Array(name)
    for start in [cell.column + 1, cell.column - letters.count] {
      let range = start..<(start + letters.count)
      guard range.lowerBound >= 0, range.upperBound <= 4 * radius + 1,
        cells[cell.row][range].allSatisfy({ " ·+".contains($0) })
      else { continue }
      cells[cell.row].replaceSubrange(range, with: letters)
      return
    }
  }
}
