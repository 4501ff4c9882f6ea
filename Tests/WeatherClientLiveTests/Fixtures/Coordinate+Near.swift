// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning

extension Coordinate {
  /// A place in the cell of a coordinate with two decimals, finer than any grid: who sent it on as
  /// it is would be found out by the server.
  static func near(_ latitude: Double, _ longitude: Double) -> Coordinate {
    .at(latitude + 0.001234, longitude - 0.001357)
  }
}
