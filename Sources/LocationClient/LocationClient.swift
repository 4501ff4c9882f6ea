// SPDX-License-Identifier: Apache-2.0

public import LocationServices

/// A location manager as a value that a feature is given, so that every state of it can be run
/// and tested without a receiver.
///
/// No endpoint hands out the manager or takes a delegate. Requests return nothing: what they
/// cause arrives in ``delegate``, and one request can cause several events.
public struct LocationClient: Sendable {
  /// Whether the program may know where the board is.
  public var authorizationStatus: @Sendable () -> AuthorizationStatus
  /// How precisely.
  public var accuracyAuthorization: @Sendable () -> AccuracyAuthorization
  /// Asks to know while the program is in use.
  public var requestWhenInUseAuthorization: @Sendable () -> Void
  /// Asks to know at any time.
  public var requestAlwaysAuthorization: @Sendable () -> Void
  /// Asks for one location.
  public var requestLocation: @Sendable () -> Void
  /// Starts continuous updates.
  public var startUpdatingLocation: @Sendable () -> Void
  /// Ends updates.
  public var stopUpdatingLocation: @Sendable () -> Void
  /// The location delivered last; `nil` before the first.
  public var location: @Sendable () -> Location?
  /// Starts to listen.
  ///
  /// Each call is a subscription of its own; its first event tells of the authorization as it is.
  public var delegate: @Sendable () -> AsyncStream<DelegateEvent>

  /// Makes a client out of its endpoints.
  ///
  /// - Parameters:
  ///   - authorizationStatus: Whether the program may know.
  ///   - accuracyAuthorization: How precisely.
  ///   - requestWhenInUseAuthorization: Asks to know while in use.
  ///   - requestAlwaysAuthorization: Asks to know at any time.
  ///   - requestLocation: Asks for one location.
  ///   - startUpdatingLocation: Starts updates.
  ///   - stopUpdatingLocation: Ends updates.
  ///   - location: The location delivered last.
  ///   - delegate: Starts to listen.
  public init(
    authorizationStatus: @escaping @Sendable () -> AuthorizationStatus,
    accuracyAuthorization: @escaping @Sendable () -> AccuracyAuthorization = { .fullAccuracy },
    requestWhenInUseAuthorization: @escaping @Sendable () -> Void,
    requestAlwaysAuthorization: @escaping @Sendable () -> Void,
    requestLocation: @escaping @Sendable () -> Void,
    startUpdatingLocation: @escaping @Sendable () -> Void,
    stopUpdatingLocation: @escaping @Sendable () -> Void,
    location: @escaping @Sendable () -> Location?,
    delegate: @escaping @Sendable () -> AsyncStream<DelegateEvent>
  ) {
    self.authorizationStatus = authorizationStatus
    self.accuracyAuthorization = accuracyAuthorization
    self.requestWhenInUseAuthorization = requestWhenInUseAuthorization
    self.requestAlwaysAuthorization = requestAlwaysAuthorization
    self.requestLocation = requestLocation
    self.startUpdatingLocation = startUpdatingLocation
    self.stopUpdatingLocation = stopUpdatingLocation
    self.location = location
    self.delegate = delegate
  }
}

extension LocationClient {
  /// What a manager tells its delegate, a case for each method.
  public enum DelegateEvent: Equatable, Sendable {
    /// The authorization, first and after each change.
    case didChangeAuthorization(AuthorizationStatus)
    /// Locations, the newest last.
    case didUpdateLocations([Location])
    /// Why none comes.
    case didFailWithError(LocationError)
  }
}
