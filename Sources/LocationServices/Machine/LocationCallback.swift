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

/// A callback with its delegate or completion.
///
/// Unchecked, because the delegate is called only on the actor that it needs.
struct Delivery: @unchecked Sendable {
  var callback: LocationCallback
  var delegate: (any LocationManagerCallbacks)?
  var completion: Deliveries.Completion?

  func perform(for manager: LocationManager) {
    switch callback {
    case .didChangeAuthorization: delegate?.locationManagerDidChangeAuthorization(manager)
    case .didUpdateLocations(let locations):
      delegate?.locationManager(manager, didUpdateLocations: locations)
    case .didReceiveFixWithoutPosition(let fix):
      delegate?.locationManager(manager, didReceiveFixWithoutPosition: fix)
    case .didFailWithError(let error): delegate?.locationManager(manager, didFailWithError: error)
    case .didUpdateHeading(let heading):
      delegate?.locationManager(manager, didUpdateHeading: heading)
    case .didVisit(let visit): delegate?.locationManager(manager, didVisit: visit)
    case .didEnterRegion(let region): delegate?.locationManager(manager, didEnterRegion: region)
    case .didExitRegion(let region): delegate?.locationManager(manager, didExitRegion: region)
    case .didDetermineState(let state, let region):
      delegate?.locationManager(manager, didDetermineState: state, for: region)
    case .didStartMonitoring(let region):
      delegate?.locationManager(manager, didStartMonitoringFor: region)
    case .monitoringDidFail(let region, let error):
      delegate?.locationManager(manager, monitoringDidFailFor: region, withError: error)
    case .didPauseUpdates: delegate?.locationManagerDidPauseLocationUpdates(manager)
    case .didResumeUpdates: delegate?.locationManagerDidResumeLocationUpdates(manager)
    case .didAnswerFullAccuracy(_, let error): completion?(error)
    }
  }
}
