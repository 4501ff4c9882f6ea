// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// Receives callbacks from a ``LocationManager`` on any actor.
///
/// Corresponds to `CLLocationManagerDelegate`. Differs from Core Location: the methods are not
/// isolated and the type is `Sendable`, because the callbacks may run on any actor. A type that is
/// isolated to the main actor, or not `Sendable`, conforms to ``LocationManagerCallbacks`` instead.
public protocol LocationManagerDelegate: LocationManagerCallbacks, Sendable {}

/// The callbacks of a ``LocationManager``.
///
/// The methods are named as in Core Location's `CLLocationManagerDelegate`. Every method has a
/// default that does nothing, and a program without ``locationManager(_:didFailWithError:)`` is not
/// terminated.
///
/// A type that conforms only to this protocol, such as
/// `@MainActor final class Screen: @MainActor LocationManagerCallbacks`, can be the manager's
/// ``LocationManager/mainActorDelegate``.
public protocol LocationManagerCallbacks: AnyObject {
  /// Reports the authorization, first when the delegate is set and then after each change.
  ///
  /// As in Core Location, a change of accuracy alone is also reported. Differs from Core Location:
  /// the first call is made after the delegate is set, not after the manager is created.
  func locationManagerDidChangeAuthorization(_ manager: LocationManager)

  /// Delivers locations.
  ///
  /// As in Core Location, called for updates, significant changes and one-shot requests. Differs
  /// from Core Location: the array always holds one location, because receivers report once per
  /// epoch. The parameter is an array for programs ported from Core Location.
  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location])

  /// Reports an epoch without a position, in order with the locations.
  ///
  /// Core Location has no such method. The method is called only while locations would be
  /// delivered, and under reduced accuracy no more often than locations.
  ///
  /// - Parameters:
  ///   - manager: The manager.
  ///   - fix: A fix of mode `FixMode.none` with time, satellites and source. Under reduced
  ///     accuracy, the fix holds only the arrival time and the source.
  func locationManager(_ manager: LocationManager, didReceiveFixWithoutPosition fix: Fix)

  /// Reports that no location can be delivered.
  ///
  /// Core Location may repeat `LocationError.locationUnknown` at each attempt. Differs from Core
  /// Location: this error is reported once per outage, because a receiver indoors would repeat it
  /// every second. The manager keeps trying. `LocationError.denied` is reported once for each
  /// refusal or withdrawal.
  func locationManager(_ manager: LocationManager, didFailWithError error: LocationError)

  /// Delivers a heading.
  ///
  /// As in Core Location, called if the heading differs from the last one by the filter's value.
  /// Differs from Core Location: calibration is never requested, because receivers do not support
  /// it.
  func locationManager(_ manager: LocationManager, didUpdateHeading heading: Heading)

  /// Reports a visit, once when its start is confirmed and again when the visit has ended.
  ///
  /// Differs from Core Location: the criteria are documented, and the report arrives within
  /// minutes, since there is no battery to save.
  func locationManager(_ manager: LocationManager, didVisit visit: Visit)

  /// Reports that the board has entered a region.
  ///
  /// As in Core Location, not called if the board was inside when monitoring began. Differs from
  /// Core Location: ten seconds within the border are sufficient. Core Location may take minutes to
  /// save power.
  func locationManager(_ manager: LocationManager, didEnterRegion region: CircularRegion)

  /// Reports that the board has left a region.
  ///
  /// Differs from Core Location: ten seconds beyond the border plus the position error are
  /// sufficient.
  func locationManager(_ manager: LocationManager, didExitRegion region: CircularRegion)

  /// Reports the state of a region, on request and after each crossing of its border.
  ///
  /// Differs from Core Location: while the program lacks permission, the state is `unknown`,
  /// whereas Core Location reports an error.
  func locationManager(
    _ manager: LocationManager, didDetermineState state: RegionState, for region: CircularRegion)

  /// Reports that monitoring of a region has started.
  ///
  /// Differs from Core Location: the start is reported at once, since no setup can delay it.
  func locationManager(_ manager: LocationManager, didStartMonitoringFor region: CircularRegion)

  /// Reports that a region cannot be monitored, either permanently or at present.
  ///
  /// Differs from Core Location: the region is never missing, because no failure affects all
  /// regions at once.
  func locationManager(
    _ manager: LocationManager, monitoringDidFailFor region: CircularRegion,
    withError error: LocationError)

  /// Reports that updates have paused because the board does not move.
  ///
  /// As in Core Location, the program must start updates again. Called only if
  /// ``LocationManager/pausesLocationUpdatesAutomatically`` is set.
  func locationManagerDidPauseLocationUpdates(_ manager: LocationManager)

  /// Reports that paused updates have been started again.
  ///
  /// As in Core Location, updates resume only when the program starts them.
  func locationManagerDidResumeLocationUpdates(_ manager: LocationManager)
}

extension LocationManagerCallbacks {
  /// Does nothing.
  public func locationManagerDidChangeAuthorization(_ manager: LocationManager) {}

  /// Does nothing.
  public func locationManager(
    _ manager: LocationManager, didUpdateLocations locations: [Location]
  ) {}

  /// Does nothing.
  public func locationManager(
    _ manager: LocationManager, didReceiveFixWithoutPosition fix: Fix
  ) {}

  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {}

  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didUpdateHeading heading: Heading) {}

  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didVisit visit: Visit) {}

  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didEnterRegion region: CircularRegion) {}

  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didExitRegion region: CircularRegion) {}

  /// Does nothing.
  public func locationManager(
    _ manager: LocationManager, didDetermineState state: RegionState, for region: CircularRegion
  ) {}

  /// Does nothing.
  public func locationManager(
    _ manager: LocationManager, didStartMonitoringFor region: CircularRegion
  ) {}

  /// Does nothing.
  public func locationManager(
    _ manager: LocationManager, monitoringDidFailFor region: CircularRegion,
    withError error: LocationError
  ) {}

  /// Does nothing.
  public func locationManagerDidPauseLocationUpdates(_ manager: LocationManager) {}

  /// Does nothing.
  public func locationManagerDidResumeLocationUpdates(_ manager: LocationManager) {}
}
