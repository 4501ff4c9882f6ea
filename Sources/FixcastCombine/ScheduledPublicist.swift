// SPDX-License-Identifier: Apache-2.0

public import LocationClient
public import OpenCombine
public import Positioning

/// Publishers of a location client's events, which deliver on a scheduler.
///
/// The publishers are those of ``Publicist``.
public struct ScheduledPublicist: Sendable {
  private let publishers: EventPublishers

  /// Makes a publicist that delivers on a scheduler, which must run all its actions.
  public init(_ client: LocationClient, on scheduler: some Scheduler) {
    publishers = EventPublishers(client: client, delivery: .on(scheduler))
  }

  /// A publisher of all events of the client.
  public var delegate: ScheduledPublisher<LocationClient.DelegateEvent, Never> {
    ScheduledPublisher(publishers.delegate)
  }

  /// A publisher of the current authorization status and all later changes.
  public var authorizationPublisher: ScheduledPublisher<AuthorizationStatus, Never> {
    ScheduledPublisher(publishers.authorization)
  }

  /// A publisher of new locations; in each array the newest location is the last.
  public var locationPublisher: ScheduledPublisher<[Location], Never> {
    ScheduledPublisher(publishers.locations)
  }

  /// A publisher of the manager's errors.
  public var errorPublisher: ScheduledPublisher<LocationError, Never> {
    ScheduledPublisher(publishers.errors)
  }
}
