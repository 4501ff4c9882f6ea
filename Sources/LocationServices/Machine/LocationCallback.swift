// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// A call to the delegate, as a value.
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
  /// Calls the completion of a full-accuracy request; no error means that full accuracy is granted.
  case didAnswerFullAccuracy(id: UInt64, LocationError?)

  /// Whether the next callback of the same kind makes this one obsolete.
  var isSupersededByNext: Bool {
    switch self {
    case .didUpdateLocations, .didReceiveFixWithoutPosition, .didUpdateHeading: true
    default: false
    }
  }

  /// Whether the callback reveals where the board is or was.
  var containsLocation: Bool {
    switch self {
    case .didVisit, .didEnterRegion, .didExitRegion, .didPauseUpdates: true
    case .didDetermineState(let state, _): state != .unknown
    default: isSupersededByNext
    }
  }

  /// Whether the callback may be dropped early on overflow, and for a new delegate.
  ///
  /// False for answers to requests.
  var isDroppable: Bool {
    if case .didAnswerFullAccuracy = self { false } else { true }
  }

  var isAuthorization: Bool { if case .didChangeAuthorization = self { true } else { false } }
}
