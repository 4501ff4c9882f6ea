// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// A cell of the grid that coordinates are snapped to before they leave the board.
///
/// The weather of the next street is the same, and nobody who is asked for it needs to know the
/// street. A cell has its centre on a whole multiple of its size: with two decimals, 1.1 km from
/// north to south. Cells at a pole are one cell, and so are those either side of the dateline that
/// share their centre.
public struct WeatherCell: Equatable, Hashable, Codable, Sendable {
  /// The finest grid there is: four decimals, 11 m.
  public static let maxDecimals = 4
  /// The grid that is used unless somebody wants another.
  public static let standardDecimals = 2

  /// How many decimals of a degree a cell's centre has, 0 to ``maxDecimals``.
  public let decimals: Int
  private let latitudeSteps: Int
  private let longitudeSteps: Int

  /// Snaps a coordinate to the grid.
  ///
  /// - Parameters:
  ///   - coordinate: Anywhere in the cell.
  ///   - decimals: How fine the grid is; what is out of range counts as the nearest that is not.
  public init(_ coordinate: Coordinate, decimals: Int = standardDecimals) {
    self.decimals = min(max(decimals, 0), Self.maxDecimals)
    let perDegree = Self.stepsPerDegree(self.decimals)
    latitudeSteps = Int((coordinate.latitudeDegrees * Double(perDegree)).rounded())
    let longitude = Int((coordinate.longitudeDegrees * Double(perDegree)).rounded())
    if abs(latitudeSteps) == 90 * perDegree {
      longitudeSteps = 0
    } else {
      longitudeSteps = longitude == -180 * perDegree ? 180 * perDegree : longitude
    }
  }

  private static func stepsPerDegree(_ decimals: Int) -> Int {
    (0..<decimals).reduce(1) { steps, _ in steps * 10 }
  }

  /// The centre of the cell.
  public var coordinate: Coordinate? {
    let perDegree = Double(Self.stepsPerDegree(decimals))
    return Coordinate(
      latitudeDegrees: Double(latitudeSteps) / perDegree,
      longitudeDegrees: Double(longitudeSteps) / perDegree)
  }

  /// The latitude of its centre in degrees, with a point whatever the locale and no zeros behind.
  public var latitudeText: String { text(latitudeSteps) }

  /// The longitude of its centre in degrees, likewise.
  public var longitudeText: String { text(longitudeSteps) }

  private func text(_ steps: Int) -> String {
    let (whole, rest) = steps.magnitude.quotientAndRemainder(
      dividingBy: UInt(Self.stepsPerDegree(decimals)))
    let sign = steps < 0 ? "-" : ""
    guard rest > 0 else { return "\(sign)\(whole)" }
    let digits = String(rest)
    var fraction = String(repeating: "0", count: max(0, decimals - digits.count)) + digits
    while fraction.last == "0" { fraction.removeLast() }
    return "\(sign)\(whole).\(fraction)"
  }
}
