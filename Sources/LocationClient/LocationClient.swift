// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// A location manager as a value, so that features can be run and tested without a receiver.
///
/// No endpoint returns the manager or accepts a delegate object. Requests return nothing; their
/// results arrive in ``delegate``, because one request can cause several events and one event can
/// answer several requests. Each client has a manager of its own.
public struct LocationClient: Sendable {
  // MARK: Authorization

  /// The authorization of the program.
  public var authorizationStatus: @Sendable () -> AuthorizationStatus
  /// The permitted accuracy.
  public var accuracyAuthorization: @Sendable () -> AccuracyAuthorization
  /// Whether location services are enabled for the whole board.
  public var locationServicesEnabled: @Sendable () -> Bool
  /// The reasons why no location, or a less precise one, is delivered.
  public var diagnostics: @Sendable () -> LocationDiagnostics
  /// Requests permission to read locations while the program is in use.
  public var requestWhenInUseAuthorization: @Sendable () -> Void
  /// Requests permission to read locations at any time.
  public var requestAlwaysAuthorization: @Sendable () -> Void
  /// Requests temporary full accuracy for a purpose that the policy defines.
  ///
  /// Returns after the grant. Throws `LocationError.promptDeclined` if the request is refused,
  /// accuracy is already full, the purpose is unknown or the task is cancelled. Throws
  /// `LocationError.denied` if the program is not authorized.
  public var requestTemporaryFullAccuracyAuthorization:
    @Sendable (_ purposeKey: String) async throws(LocationError) -> Void
  /// Declares that the program is in use, with a reason for the log.
  public var beginActivity: @Sendable (_ reason: String) -> Void
  /// Ends one activity.
  public var endActivity: @Sendable () -> Void

  // MARK: Locations

  /// Requests one location; exactly one location or error follows.
  public var requestLocation: @Sendable () -> Void
  /// Starts continuous updates.
  public var startUpdatingLocation: @Sendable () -> Void
  /// Stops updates and cancels a pending request for one location.
  public var stopUpdatingLocation: @Sendable () -> Void
  /// Starts reporting movements of at least 500 m.
  public var startMonitoringSignificantLocationChanges: @Sendable () -> Void
  /// Stops reporting significant changes.
  public var stopMonitoringSignificantLocationChanges: @Sendable () -> Void
  /// Starts reporting visits.
  public var startMonitoringVisits: @Sendable () -> Void
  /// Stops reporting visits.
  public var stopMonitoringVisits: @Sendable () -> Void
  /// Starts heading updates.
  public var startUpdatingHeading: @Sendable () -> Void
  /// Stops heading updates.
  public var stopUpdatingHeading: @Sendable () -> Void

  // MARK: Regions

  /// Starts monitoring a region; a region with the same identifier is replaced.
  public var startMonitoringForRegion: @Sendable (CircularRegion) -> Void
  /// Stops monitoring the region with this identifier.
  public var stopMonitoringForRegion: @Sendable (CircularRegion) -> Void
  /// Requests the state of a monitored region.
  public var requestStateForRegion: @Sendable (CircularRegion) -> Void
  /// The monitored regions.
  public var monitoredRegions: @Sendable () -> [CircularRegion]

  // MARK: Settings and availability

  /// Changes the settings that are not `nil`.
  public var set: @Sendable (Properties) -> Void
  /// Whether a receiver has reported a heading.
  public var headingAvailable: @Sendable () -> Bool
  /// Whether significant changes can be monitored.
  public var significantLocationChangeMonitoringAvailable: @Sendable () -> Bool
  /// Whether the authorization permits region monitoring.
  public var isRegionMonitoringAvailable: @Sendable () -> Bool
  /// The largest radius of a region in metres; `nil` if regions cannot be monitored.
  public var maximumRegionMonitoringDistance: @Sendable () -> Double?

  // MARK: Results

  /// The last delivered location; `nil` before the first, and after permission was withdrawn.
  public var location: @Sendable () -> Location?
  /// The last delivered heading; `nil` before the first, and after permission was withdrawn.
  public var heading: @Sendable () -> Heading?
  /// Subscribes to the events of the manager.
  ///
  /// Each call creates a separate subscription, whose first event is the current authorization. A
  /// subscription buffers 64 events. If a slow subscriber loses events,
  /// `DelegateEvent.didDropEvents(count:)` precedes its next event.
  public var delegate: @Sendable () -> AsyncStream<DelegateEvent>
}
