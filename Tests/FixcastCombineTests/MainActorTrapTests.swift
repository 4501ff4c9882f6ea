// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FixcastCombine
import FixcastTesting
import LocationClient
import LocationServices
import OpenCombine
import OpenCombineDispatch
import PathMonitorClient
import Positioning
import Testing
import WeatherClient

/// Tests of the behavior of Swift that requires FixcastCombine to deliver on the main actor.
@Suite(.timeLimit(.minutes(5))) struct MainActorTrapTests {
  @Test func `calling a main-actor closure on another thread crashes the program`() async {
    await #expect(processExitsWith: .failure) {
      let listener = await Listener()
      await Task.detached { listener.subject.send(1) }.value
    }
  }

  @Test func `calling a main-actor closure on the main actor does not crash`() async {
    await #expect(processExitsWith: .success) {
      let listener = await Listener()
      await MainActor.run { listener.subject.send(1) }
    }
  }
}

/// Programs that use each publisher, and each kind of delegate, in a type that is isolated to the
/// main actor.
@Suite(.timeLimit(.minutes(5))) struct MainActorProgramTests {
  @Test func `publishers call the closures of a main-actor type without a crash`() async {
    await #expect(processExitsWith: .success) {
      let screen = await Screen()
      await screen.follow(.satisfied, .happyPath, .authorizedWhenInUse)
      await screen.lines.wait { Set($0).isSuperset(of: ["path", "weather", "status", "location"]) }
    }
  }

  @Test func `publishers on a queue call closures that change to the main actor`() async {
    await #expect(processExitsWith: .success) {
      let screen = await Screen()
      await screen.follow(
        .satisfied, .happyPath, .authorizedWhenInUse, on: DispatchQueue(label: ""))
      await screen.lines.wait { Set($0).isSuperset(of: ["path", "weather", "status", "location"]) }
    }
  }

  @Test func `a delegate with subjects of a manager in a property calls main-actor closures`() async {
    await #expect(processExitsWith: .success) {
      let owner = await DelegateOwner()
      await owner.lines.wait(for: 1)
    }
  }

  @Test func `a delegate with subjects of a manager made elsewhere calls main-actor closures`()
    async
  {
    await #expect(processExitsWith: .success) {
      let manager = await Task.detached {
        LocationManager(policy: AllowAll(initially: .authorizedAlways), purpose: "Test")
      }.value
      let owner = await PlainDelegateOwner(manager)
      await owner.lines.wait(for: 1)
    }
  }
}

/// A type whose closures are isolated to the main actor.
@MainActor private final class Screen {
  let lines = EventRecorder<String>()
  private var count = 0
  private var subscriptions: [AnyCancellable] = []

  private func show(_ line: String) {
    count += 1
    lines.record(line)
  }

  func follow(_ path: PathMonitorClient, _ weather: WeatherClient, _ location: LocationClient) {
    subscriptions = [
      path.networkPathPublisher.map { [weak self] _ in self?.count }
        .sink { [weak self] _ in self?.show("path") },
      weather.weatherPublisher(.place(1)).sink { [weak self] _ in
        self?.count += 1
      } receiveValue: { [weak self] _ in
        self?.show("weather")
      },
      location.publicist.authorizationPublisher.sink { [weak self] _ in self?.show("status") },
      location.publicist.locationPublisher.sink { [weak self] _ in self?.show("location") },
    ]
    location.requestLocation()
  }

  func follow(
    _ path: PathMonitorClient, _ weather: WeatherClient, _ location: LocationClient,
    on queue: DispatchQueue
  ) {
    let show = { @Sendable [weak self] (line: String) -> Void in
      Task { @MainActor in self?.show(line) }
    }
    let publicist = location.publicist(on: queue.ocombine)
    subscriptions = [
      path.networkPathPublisher(on: queue.ocombine).subscribe { paths in
        paths.map(\.isSatisfied).removeDuplicates().sink { _ in show("path") }
      },
      weather.weatherPublisher(.place(1), on: queue.ocombine).sink { _ in
      } receiveValue: { _ in
        show("weather")
      },
      publicist.authorizationPublisher.sink { _ in show("status") },
      publicist.locationPublisher.sink { _ in show("location") },
    ]
    location.requestLocation()
  }
}

/// A delegate with a subject, as for Core Location.
private final class PlainDelegate: LocationManagerCallbacks {
  let statuses = PassthroughSubject<AuthorizationStatus, Never>()

  func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
    statuses.send(manager.authorizationStatus)
  }
}

@MainActor private final class PlainDelegateOwner {
  let lines = EventRecorder<String>()
  private let delegate = PlainDelegate()
  private let manager: LocationManager
  private var subscription: AnyCancellable?

  init(_ manager: LocationManager) {
    self.manager = manager
    subscription = delegate.statuses.sink { [weak self] in self?.lines.record($0.title) }
    manager.mainActorDelegate = delegate
  }
}

/// A delegate whose author declared its subject as safe.
private final class SendableDelegate: LocationManagerDelegate {
  nonisolated(unsafe) let statuses = PassthroughSubject<AuthorizationStatus, Never>()

  func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
    statuses.send(manager.authorizationStatus)
  }
}

@MainActor private final class DelegateOwner {
  let lines = EventRecorder<String>()
  private let delegate = SendableDelegate()
  private let manager = LocationManager(
    policy: AllowAll(initially: .authorizedAlways), purpose: "Test")
  private var subscription: AnyCancellable?

  init() {
    subscription = delegate.statuses.sink { [weak self] in self?.lines.record($0.title) }
    manager.delegate = delegate
  }
}

/// A subscriber whose closure is isolated to the main actor.
@MainActor private final class Listener {
  nonisolated(unsafe) let subject = PassthroughSubject<Int, Never>()
  private var sum = 0
  private var subscription: AnyCancellable?

  init() {
    subscription = subject.sink { [weak self] in self?.sum += $0 }
  }
}
