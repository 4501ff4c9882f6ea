// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// The reports that may answer a lookup.
enum LookupScope: Sendable {
  /// Reports for any place that is near enough.
  case nearby
  /// Reports for the middle of a cell of reduced accuracy alone. There is one lookup a quarter of an
  /// hour at most, so it keeps no interval from the board's own lookups.
  case middleOfCell

  /// The cell that the report of the lookup is stored for.
  func cell(at coordinate: Coordinate, _ rules: LookupRules) -> WeatherCell {
    switch self {
    case .nearby: rules.cell(at: coordinate)
    case .middleOfCell: WeatherCell(coordinate, decimals: WeatherCell.mostDecimals)
    }
  }
}
