// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// A cell of the grid to which coordinates are rounded before they are sent to a provider.
///
/// Weather changes little within a cell, so a provider does not need the exact location. The centre
/// of a cell is a multiple of the cell size. With two decimals, a cell measures 1.1 km from north
/// to south. All longitudes at a pole belong to the same cell, as do the longitudes 180 and -180.
public struct WeatherCell: Equatable, Hashable, Codable, Sendable {
  /// The number of decimals of the finest grid: four, for cells of 11 m.
  public static let maxDecimals = 4
  /// The number of decimals of the default grid: two, for cells of 1.1 km.
  public static let standardDecimals = 2

  /// The number of decimal places of the centre in degrees, 0 to ``maxDecimals``.
  public let decimals: Int
  private let latitudeSteps: Int
  private let longitudeSteps: Int

  /// Creates the cell that contains a coordinate.
  ///
  /// - Parameters:
  ///   - coordinate: A coordinate in the cell.
  ///   - decimals: The number of decimal places of the grid in degrees, clamped to the range from 0
  ///     to ``maxDecimals``.
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

  /// The latitude of the centre in degrees, with a decimal point and without trailing zeros.
  public var latitudeText: String { text(latitudeSteps) }

  /// The longitude of the centre in degrees, with a decimal point and without trailing zeros.
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
