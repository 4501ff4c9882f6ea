// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// One call of a delegate, as a value.
enum LocationCallback: Equatable, Sendable {
  case didChangeAuthorization(Authorization)
  case didUpdateLocations([Location])
  case didReceiveFixWithoutPosition(Fix)
  case didFailWithError(LocationError)
  case didUpdateHeading(Heading)
  case didVisit(Visit)
  case didEnterRegion(CircularRegion)
  case didExitRegion(CircularRegion)
  case didDetermineState(RegionState, CircularRegion)
  case didStartMonitoring(CircularRegion)
  case monitoringDidFail(CircularRegion, LocationError)
  case didPauseUpdates
  case didResumeUpdates
  /// Not the delegate but whoever asked is called; without an error, full accuracy is granted.
  case didAnswerFullAccuracy(id: UInt64, LocationError?)

  /// Whether it says where the board is, or that nobody knows: outdated by the next of its kind.
  var carriesLocation: Bool {
    switch self {
    case .didUpdateLocations, .didReceiveFixWithoutPosition, .didUpdateHeading: true
    default: false
    }
  }

  /// Whether anybody could tell from it where the board is or was.
  var containsLocation: Bool {
    switch self {
    case .didVisit, .didEnterRegion, .didExitRegion, .didPauseUpdates: true
    case .didDetermineState(let state, _): state != .unknown
    default: carriesLocation
    }
  }

  /// Whether it may go for others when too many wait: an answer that somebody waits for may not.
  var isDroppable: Bool {
    if case .didAnswerFullAccuracy = self { false } else { true }
  }

  var isAuthorization: Bool { if case .didChangeAuthorization = self { true } else { false } }
}
