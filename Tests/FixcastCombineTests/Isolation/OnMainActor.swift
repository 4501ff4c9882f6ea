// SPDX-License-Identifier: Apache-2.0

import FixcastCombine
import LocationClient
import OpenCombine
import PathMonitorClient
import WeatherClient

/// Publishers that deliver on the main actor, used elsewhere.
actor Counter {
  var count = 0
  var subscriptions: [AnyCancellable] = []

  func follow(_ monitor: PathMonitorClient) {
    subscriptions = [
      monitor.networkPathPublisher.sink { _ in self.count += 1 }  // refused
    ]
  }

  func follow(_ client: LocationClient) {
    subscriptions = [
      client.publicist.delegate.sink { _ in self.count += 1 }  // refused
    ]
  }

  func follow(_ client: WeatherClient) {
    subscriptions = [
      client.weatherPublisher(.place(1))  // refused
        .sink { _ in
        } receiveValue: { _ in
          self.count += 1
        }
    ]
  }
}

/// Accepted: a type that is isolated to the main actor.
@MainActor final class Screen {
  var isConnected = false
  var subscription: AnyCancellable?

  func follow(_ monitor: PathMonitorClient) {
    subscription = monitor.networkPathPublisher.map(\.isSatisfied)
      .sink { [weak self] in self?.isConnected = $0 }
  }
}
