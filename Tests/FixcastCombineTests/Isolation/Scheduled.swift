// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FixcastCombine
import LocationClient
import OpenCombine
import OpenCombineDispatch
import PathMonitorClient
import WeatherClient

/// Publishers on a queue, with closures that would trap there.
@MainActor final class Screen {
  var isConnected = false
  var titles: [String] = []
  var subscriptions: [AnyCancellable] = []
  let queue = DispatchQueue(label: "test")

  func show(_ isConnected: Bool) { self.isConnected = isConnected }

  func followWithOperators(_ monitor: PathMonitorClient) {
    let paths = monitor.networkPathPublisher(on: queue.ocombine)
    subscriptions = [
      paths.map { $0.isSatisfied }  // refused
        .sink { [weak self] in self?.isConnected = $0 }
    ]
  }

  func follow(_ monitor: PathMonitorClient) {
    subscriptions = [
      monitor.networkPathPublisher(on: queue.ocombine).sink { [weak self] path in
        self?.isConnected = path.isSatisfied  // refused
      },
      monitor.networkPathPublisher(on: queue.ocombine).sink { path in
        self.show(path.isSatisfied)  // refused
      },
      monitor.networkPathPublisher(on: queue.ocombine).subscribe { paths in
        paths.map(\.isSatisfied)
          .sink(receiveValue: self.show)  // refused
      },
      monitor.networkPathPublisher(on: queue.ocombine).subscribe { paths in
        paths.sink { [weak self] path in
          self?.isConnected = path.isSatisfied  // refused
        }
      },
      // Accepted: the closure changes to the main actor.
      monitor.networkPathPublisher(on: queue.ocombine).sink { [weak self] path in
        Task { @MainActor in self?.show(path.isSatisfied) }
      },
      // Accepted: a closure without isolation, with operators.
      monitor.networkPathPublisher(on: queue.ocombine).subscribe { paths in
        paths.map(\.isSatisfied).removeDuplicates().sink { print($0) }
      },
    ]
  }

  func follow(_ client: LocationClient) {
    let publicist = client.publicist(on: queue.ocombine)
    subscriptions = [
      publicist.delegate.sink { _ in
        self.titles = []  // refused
      },
      publicist.authorizationPublisher.sink { status in
        self.titles.append(status.title)  // refused
      },
      publicist.locationPublisher.sink { _ in
        self.titles = []  // refused
      },
      publicist.errorPublisher.sink { _ in
        self.titles = []  // refused
      },
    ]
  }

  func follow(_ client: WeatherClient, _ target: WeatherTarget) {
    subscriptions = [
      client.weatherPublisher(target, on: queue.ocombine).sink { _ in
      } receiveValue: { report in
        self.titles = [report.provider]  // refused
      }
    ]
  }
}
