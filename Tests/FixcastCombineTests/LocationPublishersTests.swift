// SPDX-License-Identifier: Apache-2.0

import FixcastCombine
import FixcastTesting
import LocationClient
import LocationServices
import OpenCombine
import Positioning
import Streams
import Testing

@Suite(.timeLimit(.minutes(5))) @MainActor struct LocationPublishersTests {
  /// A view model that takes any publishers.
  @MainActor private final class Screen {
    let lines = EventRecorder<String>()
    private var subscriptions: Set<AnyCancellable> = []

    init(_ publishers: any LocationPublishers) {
      publishers.authorizationPublisher.map(\.title)
        .sink { [weak self] in self?.lines.record($0) }.store(in: &subscriptions)
      publishers.locationPublisher.compactMap { $0.last?.coordinate.latitudeDegrees }
        .sink { [weak self] in self?.lines.record("\($0)") }.store(in: &subscriptions)
      publishers.errorPublisher
        .sink { [weak self] in self?.lines.record("\($0)") }.store(in: &subscriptions)
    }
  }

  /// Publishers whose values the test sends.
  private final class Subjects: LocationPublishers {
    let status = CurrentValueSubject<AuthorizationStatus, Never>(.notDetermined)
    let locations = PassthroughSubject<[Location], Never>()
    let errors = PassthroughSubject<LocationError, Never>()

    var authorizationPublisher: AnyPublisher<AuthorizationStatus, Never> {
      status.eraseToAnyPublisher()
    }
    var locationPublisher: AnyPublisher<[Location], Never> { locations.eraseToAnyPublisher() }
    var errorPublisher: AnyPublisher<LocationError, Never> { errors.eraseToAnyPublisher() }
  }

  /// A manager's delegate with subjects, as for Core Location.
  private final class Delegate: @MainActor LocationManagerCallbacks, LocationPublishers {
    private let manager: LocationManager
    private let status = PassthroughSubject<AuthorizationStatus, Never>()
    private let locations = PassthroughSubject<[Location], Never>()
    private let errors = PassthroughSubject<LocationError, Never>()

    init(_ manager: LocationManager) {
      self.manager = manager
      manager.mainActorDelegate = self
    }

    var authorizationPublisher: AnyPublisher<AuthorizationStatus, Never> {
      status.prepend(manager.authorizationStatus).removeDuplicates().eraseToAnyPublisher()
    }
    var locationPublisher: AnyPublisher<[Location], Never> { locations.eraseToAnyPublisher() }
    var errorPublisher: AnyPublisher<LocationError, Never> { errors.eraseToAnyPublisher() }

    func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
      status.send(manager.authorizationStatus)
    }
    func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
      self.locations.send(locations)
    }
    func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
      errors.send(error)
    }
  }

  private static let expected = [
    "Not Determined", "Authorized When In Use", "40.0", "\(LocationError.denied)",
  ]

  @Test func `a view model shows the events of publishers that a test makes`() {
    let subjects = Subjects()
    let screen = Screen(subjects)
    subjects.status.send(.authorizedWhenInUse)
    subjects.locations.send([.at(30), .at(40)])
    subjects.errors.send(.denied)
    #expect(screen.lines.events == Self.expected)
  }

  @Test func `the same view model shows the events of a client's publicist`() async {
    let manager = SimulatedManager()
    let screen = Screen(manager.client.publicist)
    await screen.lines.wait(for: 1)
    manager.authorize(.authorizedWhenInUse)
    await screen.lines.wait(for: 2)
    manager.locate(40)
    await screen.lines.wait(for: 3)
    manager.events.send(.didFailWithError(.denied))
    #expect(await screen.lines.wait(for: 4) == Self.expected)
  }

  @Test func `the same view model shows the events of a delegate with subjects`() async {
    let manager = LocationManager(policy: AllowAll(), purpose: "Test")
    let delegate = Delegate(manager)
    let screen = Screen(delegate)
    manager.requestWhenInUseAuthorization()
    await screen.lines.wait(for: 2)
    manager.startUpdatingLocation()
    manager.ingest(.fix(.at(40)))
    await screen.lines.wait(for: 3)
    manager.ingest(.lost(SourceLoss(.disconnected)))
    let lines = await screen.lines.wait(for: 4)
    #expect(lines == Self.expected.dropLast() + ["\(LocationError.locationUnknown)"])
    withExtendedLifetime(delegate) {}
  }
}
