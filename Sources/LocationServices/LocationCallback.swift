// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// One call of a delegate, as a value.
enum LocationCallback: Equatable, Sendable {
  case didChangeAuthorization(Authorization)
  case didUpdateLocations([Location])
  case didReceiveFixWithoutPosition(Fix)
  case didFailWithError(LocationError)

  /// Whether it says where the board is, or that nobody knows: outdated by the next of its kind.
  var carriesLocation: Bool {
    switch self {
    case .didUpdateLocations, .didReceiveFixWithoutPosition: true
    case .didChangeAuthorization, .didFailWithError: false
    }
  }
}
