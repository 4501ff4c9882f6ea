// SPDX-License-Identifier: Apache-2.0

public import OpenCombine
public import Positioning

/// Publishers of the events of a location manager, which deliver on the main actor.
///
/// ``Publicist`` makes these publishers of a location client. A type that takes any
/// `LocationPublishers` can also be used with publishers of your own, as in a test.
@MainActor
public protocol LocationPublishers {
  /// A publisher of the current authorization status and all later changes.
  var authorizationPublisher: AnyPublisher<AuthorizationStatus, Never> { get }

  /// A publisher of new locations; in each array the newest location is the last.
  var locationPublisher: AnyPublisher<[Location], Never> { get }

  /// A publisher of the manager's errors.
  var errorPublisher: AnyPublisher<LocationError, Never> { get }
}
