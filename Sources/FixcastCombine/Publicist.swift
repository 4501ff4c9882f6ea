// SPDX-License-Identifier: Apache-2.0

public import LocationClient
public import OpenCombine
public import Positioning

/// Publishers of a location client's events.
///
/// Each subscription has its own stream until the subscription is cancelled. Values are delivered
/// on the main actor or on the scheduler of the publicist, one after the other. Do not deliver them
/// on another thread to a closure that is isolated to the main actor: the program crashes if such a
/// closure is called on another thread.
public struct Publicist: Sendable {
  private let client: LocationClient
  private let delivery: Delivery

  /// Makes a publicist that delivers on the main actor.
  public init(_ client: LocationClient) { (self.client, delivery) = (client, .mainActor) }

  /// Makes a publicist that delivers on a scheduler, which must run all its actions.
  public init(_ client: LocationClient, on scheduler: some Scheduler) {
    (self.client, delivery) = (client, .on(scheduler))
  }

  /// A publisher of all events of the client.
  public var delegate: AnyPublisher<LocationClient.DelegateEvent, Never> {
    StreamPublisher(delivery, client.delegate).eraseToAnyPublisher()
  }

  /// A publisher of the current authorization status and all later changes.
  public var authorizationPublisher: AnyPublisher<AuthorizationStatus, Never> {
    StreamPublisher(
      delivery, startingWith: { [client] in .didChangeAuthorization(client.authorizationStatus()) },
      client.delegate
    )
    .compactMap { [client] event in
      switch event {
      case .didChangeAuthorization(let status): status
      // The lost events may contain a change of authorization.
      case .didDropEvents: client.authorizationStatus()
      default: nil
      }
    }
    .removeDuplicates().eraseToAnyPublisher()
  }

  /// A publisher of new locations; in each array the newest location is the last.
  public var locationPublisher: AnyPublisher<[Location], Never> {
    StreamPublisher(delivery, client.delegate)
      .compactMap { event in
        if case .didUpdateLocations(let locations) = event { locations } else { nil }
      }
      .eraseToAnyPublisher()
  }

  /// A publisher of the manager's errors.
  ///
  /// The publisher never fails, because after `LocationError.locationUnknown` the manager keeps
  /// trying. An error of a region is only in ``delegate``.
  public var errorPublisher: AnyPublisher<LocationError, Never> {
    StreamPublisher(delivery, client.delegate)
      .compactMap { event in
        if case .didFailWithError(let error) = event { error } else { nil }
      }
      .eraseToAnyPublisher()
  }
}

extension LocationClient {
  /// Publishers of the client's events, which deliver on the main actor.
  public var publicist: Publicist { Publicist(self) }

  /// Returns publishers of the client's events, which deliver on a scheduler.
  public func publicist(on scheduler: some Scheduler) -> Publicist {
    Publicist(self, on: scheduler)
  }
}
