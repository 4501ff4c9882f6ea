// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning

extension Coordinate {
  /// Returns a coordinate in the cell of the given coordinate, with more decimals than any grid.
  ///
  /// `LoopbackServer` fails the test if a request contains the coordinate without rounding.
  static func near(_ latitude: Double, _ longitude: Double) -> Coordinate {
    .at(latitude + 0.001234, longitude - 0.001357)
  }
}
