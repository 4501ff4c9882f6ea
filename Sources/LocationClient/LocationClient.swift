// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// A location manager as a value that a feature is given, so that every state of it can be run
/// and tested without a receiver.
///
/// No endpoint hands out the manager or takes a delegate. Requests return nothing: what they
/// cause arrives in ``delegate``, since one request can cause several events, and one event can
/// come from several requests. Several values are several managers.
public struct LocationClient: Sendable {
  // MARK: Authorization

  /// Whether the program may know where the board is.
  public var authorizationStatus: @Sendable () -> AuthorizationStatus
  /// How precisely.
  public var accuracyAuthorization: @Sendable () -> AccuracyAuthorization
  /// Whether the switch for the whole board is on.
  public var locationServicesEnabled: @Sendable () -> Bool
  /// Why nothing comes at present, or less than was asked for.
  public var diagnostics: @Sendable () -> LocationDiagnostics
  /// Asks to know while the program is in use.
  public var requestWhenInUseAuthorization: @Sendable () -> Void
  /// Asks to know at any time.
  public var requestAlwaysAuthorization: @Sendable () -> Void
  /// Asks for full accuracy for a while, for a purpose that the policy knows by this name.
  ///
  /// Returns once it is granted. Throws `LocationError.promptDeclined` where it is refused, was
  /// full already, the purpose is unknown or the asking task is cancelled, and
  /// `LocationError.denied` where nothing is granted.
  public var requestTemporaryFullAccuracyAuthorization:
    @Sendable (_ purposeKey: String) async throws(LocationError) -> Void
  /// Declares that the program is in use, with the reason in words for a log.
  public var beginActivity: @Sendable (_ reason: String) -> Void
  /// Ends an activity that was begun.
  public var endActivity: @Sendable () -> Void

  // MARK: Locations

  /// Asks for one location: exactly one answer, a location or an error.
  public var requestLocation: @Sendable () -> Void
  /// Starts continuous updates.
  public var startUpdatingLocation: @Sendable () -> Void
  /// Ends updates and a pending request for one location.
  public var stopUpdatingLocation: @Sendable () -> Void
  /// Starts to tell of changes of at least 500 m.
  public var startMonitoringSignificantLocationChanges: @Sendable () -> Void
  /// Ends that.
  public var stopMonitoringSignificantLocationChanges: @Sendable () -> Void
  /// Starts to tell of stays.
  public var startMonitoringVisits: @Sendable () -> Void
  /// Ends that.
  public var stopMonitoringVisits: @Sendable () -> Void
  /// Starts to tell where the bow points.
  public var startUpdatingHeading: @Sendable () -> Void
  /// Ends that.
  public var stopUpdatingHeading: @Sendable () -> Void

  // MARK: Regions

  /// Starts to monitor a region; one of the same identifier is replaced.
  public var startMonitoringForRegion: @Sendable (CircularRegion) -> Void
  /// Ends to monitor the region of that identifier.
  public var stopMonitoringForRegion: @Sendable (CircularRegion) -> Void
  /// Asks where the board is with regard to a monitored region.
  public var requestStateForRegion: @Sendable (CircularRegion) -> Void
  /// The regions that are monitored.
  public var monitoredRegions: @Sendable () -> [CircularRegion]

  // MARK: Settings and what can be had

  /// Changes settings; those that are `nil` stay as they are.
  public var set: @Sendable (Properties) -> Void
  /// Whether a receiver has said where the bow points.
  public var headingAvailable: @Sendable () -> Bool
  /// Whether significant changes can be told.
  public var significantLocationChangeMonitoringAvailable: @Sendable () -> Bool
  /// Whether regions can be monitored now.
  public var isRegionMonitoringAvailable: @Sendable () -> Bool
  /// The largest radius in metres that a region may have; `nil` where none can be monitored.
  public var maximumRegionMonitoringDistance: @Sendable () -> Double?

  // MARK: What has come

  /// The location delivered last; `nil` before the first, and once it may not be known any more.
  public var location: @Sendable () -> Location?
  /// The heading delivered last; `nil` before the first, and once it may not be known any more.
  public var heading: @Sendable () -> Heading?
  /// Starts to listen.
  ///
  /// Each call is a subscription of its own; its first event tells of the authorization as it is.
  public var delegate: @Sendable () -> AsyncStream<DelegateEvent>
}
