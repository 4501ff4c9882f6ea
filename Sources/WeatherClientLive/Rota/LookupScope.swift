// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// Which reports answer a lookup, and what its own is stored for.
enum LookupScope {
  /// Those for any place that is near enough.
  case nearby
  /// Those for the middle of the cell of reduced accuracy alone. It is asked for once a quarter of
  /// an hour at most, so it need not wait until the board's own lookup is a minute ago.
  case middleOfCell

  func cell(at coordinate: Coordinate, _ rules: LookupRules) -> WeatherCell {
    switch self {
    case .nearby: rules.cell(at: coordinate)
    case .middleOfCell: WeatherCell(coordinate, decimals: WeatherCell.mostDecimals)
    }
  }
}
