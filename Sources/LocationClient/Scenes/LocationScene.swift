// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import Streams
internal import Synchronization

/// Implementation of a simulated client: runs its state machine and replays its recording.
final class LocationScene: Sendable {
  private struct State {
    var machine: SceneMachine
    var hasBegun = false
    var playing: Task<Void, Never>?
  }

  private let state: Mutex<State>
  private let recording: LocationRecording
  private let events = LossMarkingBroadcast<LocationClient.DelegateEvent>(bufferSize: 64) {
    .didDropEvents(count: $0)
  }

  init(_ machine: SceneMachine, recording: LocationRecording = LocationRecording()) {
    state = Mutex(State(machine: machine))
    self.recording = recording
  }

  deinit { state.withLock { $0.playing?.cancel() } }

  /// Applies a change to the machine and sends the resulting events in order.
  func handle(_ change: (inout SceneMachine) -> [LocationClient.DelegateEvent]) {
    state.withLock { state in send(change(&state.machine)) }
  }

  /// Like ``handle(_:)``, but also starts the recording if it has not started yet.
  func begin(_ change: (inout SceneMachine) -> [LocationClient.DelegateEvent]) {
    state.withLock { state in
      send(change(&state.machine))
      guard !state.hasBegun else { return }
      state.hasBegun = true
      // Events that are due at the start are sent at once.
      for event in recording.immediate { send(state.machine.play(event)) }
      guard recording.hasMore else { return send(state.machine.end()) }
      state.playing = Task { [weak self, recording] in
        await recording.play { [weak self] event in self?.handle { $0.play(event) } }
        self?.handle { $0.end() }
      }
    }
  }

  private func send(_ newEvents: [LocationClient.DelegateEvent]) {
    for event in newEvents { events.send(event) }
  }

  func read<Value: Sendable>(_ value: (SceneMachine) -> Value) -> Value {
    state.withLock { value($0.machine) }
  }

  /// Subscribes to events; the stream keeps the scene alive after the client has been released.
  func subscribe() -> AsyncStream<LocationClient.DelegateEvent> {
    // The lock ensures that no change is lost between the first event and the subscription.
    state.withLock {
      events.subscribe(
        startingWith: .didChangeAuthorization($0.machine.status), keeping: self)
    }
  }
}

extension LocationScene {
  var client: LocationClient {
    LocationClient(
      authorizationStatus: { self.read(\.status) },
      accuracyAuthorization: { self.read(\.accuracy) },
      locationServicesEnabled: { self.read(\.areServicesEnabled) },
      diagnostics: { self.read(\.diagnostics) },
      requestWhenInUseAuthorization: { self.handle { $0.request(.authorizedWhenInUse) } },
      requestAlwaysAuthorization: { self.handle { $0.request(.authorizedAlways) } },
      requestTemporaryFullAccuracyAuthorization: { _ throws(LocationError) in
        var refusal: LocationError?
        self.handle {
          let answer = $0.requestFullAccuracy()
          refusal = answer.refusal
          return answer.events
        }
        if let refusal { throw refusal }
      },
      beginActivity: { _ in },
      endActivity: {},
      requestLocation: { self.begin { $0.requestLocation() } },
      startUpdatingLocation: { self.begin { $0.start(.updates) } },
      stopUpdatingLocation: { self.stop(.updates) },
      startMonitoringSignificantLocationChanges: { self.begin { $0.start(.significantChanges) } },
      stopMonitoringSignificantLocationChanges: { self.stop(.significantChanges) },
      startMonitoringVisits: { self.begin { $0.start(.visits) } },
      stopMonitoringVisits: { self.stop(.visits) },
      startUpdatingHeading: { self.begin { $0.start(.heading) } },
      stopUpdatingHeading: { self.stop(.heading) },
      startMonitoringForRegion: { region in self.begin { $0.startMonitoring(region) } },
      stopMonitoringForRegion: { region in
        self.handle {
          $0.stopMonitoring(region)
          return []
        }
      },
      requestStateForRegion: { region in self.handle { $0.state(of: region) } },
      monitoredRegions: { self.read(\.regions) },
      set: { _ in },
      headingAvailable: { self.recording.hasHeading },
      significantLocationChangeMonitoringAvailable: { true },
      isRegionMonitoringAvailable: { self.read(\.isRegionMonitoringAvailable) },
      maximumRegionMonitoringDistance: { CircularRegion.maximumRadiusMeters },
      location: { self.read(\.location) },
      heading: { self.read(\.heading) },
      delegate: { self.subscribe() })
  }

  private func stop(_ service: SceneMachine.Service) {
    handle {
      $0.stop(service)
      return []
    }
  }
}
