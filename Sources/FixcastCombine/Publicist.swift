// SPDX-License-Identifier: Apache-2.0

public import LocationClient
public import OpenCombine
public import Positioning

/// Publishers of a location client's events, which deliver on the main actor.
///
/// Each subscription has its own stream until the subscription is cancelled. Values are delivered
/// one after the other.
@MainActor
public struct Publicist: LocationPublishers {
  private let publishers: EventPublishers

  /// Makes a publicist of a client.
  public init(_ client: LocationClient) {
    publishers = EventPublishers(client: client, delivery: .mainActor)
  }

  /// A publisher of all events of the client.
  public var delegate: AnyPublisher<LocationClient.DelegateEvent, Never> { publishers.delegate() }

  /// A publisher of the current authorization status and all later changes.
  public var authorizationPublisher: AnyPublisher<AuthorizationStatus, Never> {
    publishers.authorization()
  }

  /// A publisher of new locations; in each array the newest location is the last.
  public var locationPublisher: AnyPublisher<[Location], Never> { publishers.locations() }

  /// A publisher of the manager's errors.
  ///
  /// The publisher never fails, because after `LocationError.locationUnknown` the manager keeps
  /// trying. An error of a region is only in ``delegate``.
  public var errorPublisher: AnyPublisher<LocationError, Never> { publishers.errors() }
}

extension LocationClient {
  /// Publishers of the client's events, which deliver on the main actor.
  @MainActor
  public var publicist: Publicist { Publicist(self) }

  /// Returns publishers of the client's events, which deliver on a scheduler.
  public func publicist(on scheduler: some Scheduler) -> ScheduledPublicist {
    ScheduledPublicist(self, on: scheduler)
  }
}
