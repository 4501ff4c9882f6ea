// SPDX-License-Identifier: Apache-2.0

public import LocationClient
public import OpenCombine
public import Positioning

/// Publishers of a location client's events.
///
/// Each subscription has its own stream until it is cancelled. Values are delivered on the main
/// actor. Do not deliver them through another scheduler to a closure that is isolated to the main
/// actor: the program crashes if such a closure is called on another thread.
public struct Publicist: Sendable {
  private let client: LocationClient

  /// Makes a publicist.
  public init(_ client: LocationClient) { self.client = client }

  /// A publisher of all events of the client.
  public var delegate: AnyPublisher<LocationClient.DelegateEvent, Never> {
    StreamPublisher(client.delegate).eraseToAnyPublisher()
  }

  /// A publisher of the current authorization status and all later changes.
  public var authorizationPublisher: AnyPublisher<AuthorizationStatus, Never> {
    StreamPublisher(
      startingWith: { [client] in .didChangeAuthorization(client.authorizationStatus()) },
      client.delegate
    )
    .compactMap { event in
      if case .didChangeAuthorization(let status) = event { status } else { nil }
    }
    .removeDuplicates().eraseToAnyPublisher()
  }

  /// A publisher of new locations; in each array the newest location is the last.
  public var locationPublisher: AnyPublisher<[Location], Never> {
    StreamPublisher(client.delegate)
      .compactMap { event in
        if case .didUpdateLocations(let locations) = event { locations } else { nil }
      }
      .eraseToAnyPublisher()
  }
}

extension LocationClient {
  /// Publishers of the client's events.
  public var publicist: Publicist { Publicist(self) }
}
