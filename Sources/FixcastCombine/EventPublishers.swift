// SPDX-License-Identifier: Apache-2.0

internal import LocationClient
internal import OpenCombine
internal import Positioning

/// Makes publishers of a location client's events, each with a stream of its own.
struct EventPublishers: Sendable {
  let client: LocationClient
  let delivery: Delivery

  func delegate() -> AnyPublisher<LocationClient.DelegateEvent, Never> {
    StreamPublisher(delivery, client.delegate).eraseToAnyPublisher()
  }

  func authorization() -> AnyPublisher<AuthorizationStatus, Never> {
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

  func locations() -> AnyPublisher<[Location], Never> {
    StreamPublisher(delivery, client.delegate)
      .compactMap { event in
        if case .didUpdateLocations(let locations) = event { locations } else { nil }
      }
      .eraseToAnyPublisher()
  }

  func errors() -> AnyPublisher<LocationError, Never> {
    StreamPublisher(delivery, client.delegate)
      .compactMap { event in
        if case .didFailWithError(let error) = event { error } else { nil }
      }
      .eraseToAnyPublisher()
  }
}
