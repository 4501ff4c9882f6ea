// SPDX-License-Identifier: Apache-2.0

public import LocationClient
public import OpenCombine
public import Positioning

/// Authorization and location as an observable object.
@MainActor
public final class CoreLocationObject: ObservableObject {
  /// The authorization of the program.
  @Published public private(set) var authorizationStatus = AuthorizationStatus.notDetermined
  /// The newest location; `nil` before the first location, and while the program is not authorized.
  @Published public private(set) var location: Location?

  private let client: LocationClient
  private var subscription: AnyCancellable?

  /// Makes an object that subscribes to the client's events until the object is released.
  public init(_ client: LocationClient) {
    self.client = client
    // Use one stream for all events: with one for each kind, a location could precede its grant.
    subscription = StreamPublisher(.mainActor, client.delegate).sink { [weak self] event in
      if case .didChangeAuthorization(let status) = event { self?.receive(status) }
      if case .didUpdateLocations(let locations) = event { self?.receive(locations) }
      // The lost events may contain a change of authorization.
      if case .didDropEvents = event { self?.receive(client.authorizationStatus()) }
    }
  }

  /// Requests the authorization "when in use".
  public func authorize() { client.requestWhenInUseAuthorization() }

  /// Requests one location.
  public func locate() { client.requestLocation() }

  private func receive(_ status: AuthorizationStatus) {
    authorizationStatus = status
    if !status.isAuthorized { location = nil }
  }

  private func receive(_ locations: [Location]) {
    guard authorizationStatus.isAuthorized, let newest = locations.last else { return }
    location = newest
  }
}
