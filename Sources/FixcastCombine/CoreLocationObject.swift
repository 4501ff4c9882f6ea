// SPDX-License-Identifier: Apache-2.0

public import LocationClient
public import OpenCombine
public import Positioning

/// Authorization and location as an object to observe.
@MainActor
public final class CoreLocationObject: ObservableObject {
  /// Whether the program may know where the board is.
  @Published public private(set) var authorizationStatus = AuthorizationStatus.notDetermined
  /// The newest location; `nil` before the first, and once the program may no longer know.
  @Published public private(set) var location: Location?

  private let client: LocationClient
  private var subscription: AnyCancellable?

  /// Makes an object that listens until it is released.
  public init(_ client: LocationClient) {
    self.client = client
    // One stream for both: out of two, a location could come before the grant it came under.
    subscription = StreamPublisher(client.delegate).sink { [weak self] event in
      if case .didChangeAuthorization(let status) = event { self?.receive(status) }
      if case .didUpdateLocations(let locations) = event { self?.receive(locations) }
    }
  }

  /// Asks to know where the board is while the program is in use.
  public func authorize() { client.requestWhenInUseAuthorization() }

  /// Asks for one location.
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
