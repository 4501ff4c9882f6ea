// SPDX-License-Identifier: Apache-2.0

public import LocationClient
public import OpenCombine
public import Positioning

/// A location client's events as publishers.
///
/// Each subscription listens for itself from when it subscribes to when it is cancelled, and is
/// given its values on the main actor. A closure bound to the main actor must not be given them
/// through another scheduler: where it is called elsewhere, the program ends.
public struct Publicist: Sendable {
  private let client: LocationClient

  /// Makes a publicist.
  public init(_ client: LocationClient) { self.client = client }

  /// Every event of the client.
  public var delegate: AnyPublisher<LocationClient.DelegateEvent, Never> {
    StreamPublisher(client.delegate).eraseToAnyPublisher()
  }

  /// The status when a subscriber subscribes, and each other after it.
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

  /// Locations as they come, the newest of each delivery last; none to begin with.
  public var locationPublisher: AnyPublisher<[Location], Never> {
    StreamPublisher(client.delegate)
      .compactMap { event in
        if case .didUpdateLocations(let locations) = event { locations } else { nil }
      }
      .eraseToAnyPublisher()
  }
}

extension LocationClient {
  /// The client's events as publishers.
  public var publicist: Publicist { Publicist(self) }
}
