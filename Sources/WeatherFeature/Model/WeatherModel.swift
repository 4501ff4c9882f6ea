// SPDX-License-Identifier: Apache-2.0

public import LocationClient
internal import LocationServices
public import Observation
public import PathMonitorClient
internal import Pipeline
internal import Positioning
internal import Streams
public import WeatherClient

/// The weather where the board is, as a feature to observe: its network, its place, and what to
/// say where something is missing.
///
/// It runs from when it is made until it is released, and asks nothing of whoever holds it. What
/// it decides is a value's decision, over the gate, the policy and the stages that the daemon's
/// pipeline runs.
@MainActor @Observable
public final class WeatherModel {
  /// What there is to show.
  public private(set) var state = WeatherState()

  @ObservationIgnored private var machine = WeatherMachine()
  @ObservationIgnored private var subscriptions: [OwnedTask] = []
  @ObservationIgnored private var lookup: OwnedTask?
  @ObservationIgnored private var timer: OwnedTask?
  @ObservationIgnored private var updates: OwnedUpdates?
  @ObservationIgnored private let locationClient: LocationClient
  @ObservationIgnored private let places: PlaceStage
  @ObservationIgnored private let forecasts: WeatherStage
  @ObservationIgnored private let clock: any Clock<Duration>
  @ObservationIgnored private let now: @Sendable () -> MonotonicTime
  @ObservationIgnored private let changes = Broadcast<WeatherState>(bufferSize: 64)

  /// Makes a model that listens from now on, and asks for locations where it may.
  ///
  /// - Parameters:
  ///   - locationClient: Where locations come from; one that nobody else starts or stops.
  ///   - pathMonitor: Where network paths come from.
  ///   - weatherClient: Who is asked for places and weather.
  ///   - clock: What ages are measured by, such as `ContinuousClock`.
  public init(
    locationClient: LocationClient, pathMonitor: PathMonitorClient, weatherClient: WeatherClient,
    clock: any Clock<Duration>
  ) {
    let now = clock.readings()
    self.locationClient = locationClient
    self.clock = clock
    self.now = now
    places = PlaceStage(client: weatherClient)
    forecasts = WeatherStage(client: weatherClient, now: now)
    // Before listening, which begins with the status too: read later, it could be newer than events
    // that are still to come.
    let status = locationClient.authorizationStatus()
    // Before anything is asked for, so that no answer is missed.
    let events = locationClient.delegate()
    let paths = pathMonitor.networkPaths()
    subscriptions = [
      OwnedTask { [weak self] in for await path in paths { self?.handle(.path(path)) } },
      OwnedTask { [weak self] in for await event in events { self?.receive(event) } },
    ]
    handle(.authorization(status))
  }

  /// Starts to listen: the present state, then each change.
  ///
  /// - Returns: The states; ends when the model is released. Who reads too slowly misses the oldest.
  public func states() -> AsyncStream<WeatherState> { changes.subscribe(startingWith: state) }

  /// Asks for the right to know where the board is, or for the weather there once more.
  public func locationButtonTapped() { handle(.locationButtonTapped) }

  /// Takes the alert away until there is reason for it again.
  public func dismissAlert() { handle(.alertDismissed) }

  private func receive(_ event: LocationClient.DelegateEvent) {
    if case .didChangeAuthorization(let status) = event { handle(.authorization(status)) }
    if case .didUpdateLocations(let locations) = event { handle(.locations(locations)) }
    if case .didFailWithError(let error) = event { handle(.locationFailed(error)) }
  }

  private func handle(_ event: WeatherMachine.Event) {
    let actions = machine.handle(event, now: now())
    if state != machine.state {
      state = machine.state
      changes.send(state)
    }
    for action in actions { perform(action) }
  }

  private func perform(_ action: WeatherMachine.Action) {
    switch action {
    case .requestWhenInUseAuthorization: locationClient.requestWhenInUseAuthorization()
    case .startUpdatingLocation: updates = OwnedUpdates(locationClient)
    case .stopUpdatingLocation: updates = nil
    case .cancelLookup: lookup = nil
    case .startTimer(let deadline): startTimer(deadline)
    case .stopTimer: timer = nil
    case .search(let number, let location):
      lookUp(EnrichedLocation(location)) { [places] in
        do throws(WeatherError) {
          return .place(number, try await places.enrich($0).found(PlaceEnrichment.self)?.place)
        } catch { return .placeFailed(number, error) }
      }
    case .fetch(let number, let location, let place):
      var value = EnrichedLocation(location)
      value.add(PlaceEnrichment(place))
      lookUp(value) { [forecasts] in
        do throws(WeatherError) {
          guard let found = try await forecasts.enrich($0).found(WeatherEnrichment.self)
          else { return nil }
          return .weather(number, found.report)
        } catch { return .weatherFailed(number, error) }
      }
    }
  }

  private func startTimer(_ deadline: MonotonicTime) {
    let wait = Duration.nanoseconds(deadline.nanoseconds) - .nanoseconds(now().nanoseconds)
    timer = OwnedTask { [weak self, clock] in
      if (try? await clock.sleep(for: wait)) != nil { self?.handle(.timerFired) }
    }
  }

  /// Runs one lookup beside everything else; what comes of it is an event like any other.
  private func lookUp(
    _ value: EnrichedLocation,
    _ ask: @escaping @Sendable (EnrichedLocation) async -> WeatherMachine.Event?
  ) {
    lookup = OwnedTask { [weak self] in
      let event = await ask(value)
      if let event, !Task.isCancelled { self?.handle(event) }
    }
  }
}

/// What it shows, each by its name.
extension WeatherModel {
  /// Whether there is a way out, as far as is known.
  public var isConnected: Bool { state.isConnected }
  /// The place that the board is at.
  public var currentPlace: Place? { state.currentPlace }
  /// Fresh weather there.
  public var weather: WeatherReport? { state.weather }
  /// The days of it, today first.
  public var weatherResults: [DayWeather] { state.weatherResults }
  /// Why the board's place may not be known, where it may not.
  public var authorizationAlert: AuthorizationAlert? { state.authorizationAlert }
  /// The last failure that no success has followed.
  public var lastError: WeatherModelError? { state.lastError }
  /// The newest weather that was ever fresh.
  public var lastKnownWeather: LastKnownWeather? { state.lastKnownWeather }
  /// Seconds since that arrived; `nil` where there is none.
  public var lastKnownWeatherAgeSeconds: Double? {
    state.lastKnownWeather?.ageSeconds(at: now())
  }
  /// What the feature is titled.
  public var title: String { state.title }
}
