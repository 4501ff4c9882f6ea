// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FixcastCombine
import FixcastTesting
import LocationClient
import OpenCombine
import OpenCombineDispatch
import PathMonitorClient
import Positioning
import Testing
import WeatherClient

/// Publishers that deliver on a scheduler of the caller.
@Suite("Publishers on a scheduler", .timeLimit(.minutes(5)))
struct SchedulerTests {
  private static let mark = DispatchSpecificKey<Bool>()
  private let queue: DispatchQueue

  init() {
    queue = DispatchQueue(label: "test")
    queue.setSpecific(key: Self.mark, value: true)
  }

  private static var isOnQueue: Bool { DispatchQueue.getSpecific(key: mark) == true }

  @Test func `each publisher delivers values and completions on its scheduler`() async {
    let calls = EventRecorder<String>()
    let record = { @Sendable (name: String) in
      calls.record(Self.isOnQueue ? name : "\(name) not on the queue")
    }
    let (client, authorized) = (LocationClient.denied, LocationClient.authorizedWhenInUse)
    let publicist = client.publicist(on: queue.ocombine)
    let weather = WeatherClient.happyPath
    let target = WeatherTarget.coordinate(.at(52, 13))
    let subscriptions = [
      publicist.delegate.sink { _ in record("event") },
      publicist.authorizationPublisher.sink { _ in record("status") },
      publicist.errorPublisher.sink { _ in record("error") },
      authorized.publicist(on: queue.ocombine).locationPublisher
        .sink { _ in record("location") },
      PathMonitorClient.satisfied.networkPathPublisher(on: queue.ocombine)
        .sink { _ in record("path") },
      weather.weatherPublisher(target, on: queue.ocombine)
        .sink { _ in
          record("finished")
        } receiveValue: { _ in
          record("report")
        },
      WeatherClient.failed.searchLocationsPublisher(.at(52, 13), on: queue.ocombine)
        .sink { _ in
          record("failed")
        } receiveValue: { _ in
          record("places")
        },
    ]
    client.requestLocation()
    authorized.requestLocation()
    let expected: Set = [
      "event", "status", "error", "location", "path", "report", "finished", "failed",
    ]
    let events = await calls.wait { Set($0).isSuperset(of: expected) }
    #expect(Set(events) == expected)
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test func `a suspended scheduler holds one value, and the newest values wait in the stream`()
    async
  {
    let manager = SimulatedManager()
    let locations = EventRecorder<[Location]>()
    queue.suspend()
    let subscription = manager.client.publicist(on: queue.ocombine).locationPublisher
      .sink { locations.record($0) }
    for number in 1...1000 { manager.locate(Double(number) / 20) }
    queue.resume()
    let received = await locations.wait { $0.last == [.at(50)] }
    // The buffer of the stream has 16 elements.
    #expect(received.count <= 18)
    #expect(received.suffix(2) == [[.at(49.95)], [.at(50)]])
    subscription.cancel()
  }

  @Test func `a subscription cancelled on its scheduler receives nothing more`() async {
    let manager = SimulatedManager()
    let locations = EventRecorder<[Location]>()
    let subscription = manager.client.publicist(on: queue.ocombine).locationPublisher
      .sink { locations.record($0) }
    manager.locate(1)
    await locations.wait(for: 1)
    queue.suspend()
    manager.locate(2)
    subscription.cancel()
    queue.resume()
    #expect(await manager.listeners.wait(for: 2) == [1, 0])
    queue.sync {}
    #expect(locations.events == [[.at(1)]])
  }
}
