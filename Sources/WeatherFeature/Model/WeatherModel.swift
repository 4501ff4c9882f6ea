// SPDX-License-Identifier: Apache-2.0

public import LocationClient
public import Observation
public import PathMonitorClient
internal import Pipeline
internal import Positioning
internal import Streams
public import WeatherClient

/// An observable model of the weather at the location of the board, with network, place and errors.
///
/// The model is active until it is released. The model uses the gate, the policy and the stages of
/// the daemon's pipeline.
@MainActor @Observable
public final class WeatherModel {
  /// The state to display.
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

  /// Creates a model and starts location updates if the program is authorized.
  ///
  /// - Parameters:
  ///   - locationClient: The source of locations. No other code may start or stop location updates
  ///     of this client.
  ///   - pathMonitor: The source of network paths.
  ///   - weatherClient: Looks up places and weather.
  ///   - clock: The clock for ages and timers, such as `ContinuousClock`.
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
    // Read the status before subscribing. After subscribing, the status could be newer than events
    // that are still queued.
    let status = locationClient.authorizationStatus()
    // Subscribe before the first request, so that no response is missed.
    let events = locationClient.delegate()
    let paths = pathMonitor.networkPaths()
    subscriptions = [
      OwnedTask { [weak self] in for await path in paths { self?.handle(.path(path)) } },
      OwnedTask { [weak self] in for await event in events { self?.receive(event) } },
    ]
    handle(.authorization(status))
  }

  /// Returns a stream of the current state and each change.
  ///
  /// The stream ends when the model is released. The stream buffers 64 states and drops the oldest.
  public func states() -> AsyncStream<WeatherState> { changes.subscribe(startingWith: state) }

  /// Requests authorization if authorization is not determined, or starts a lookup if authorized.
  public func locationButtonTapped() { handle(.locationButtonTapped) }

  /// Hides the alert until the authorization changes or the button is tapped again.
  public func dismissAlert() { handle(.alertDismissed) }

  private func receive(_ event: LocationClient.DelegateEvent) {
    if case .didChangeAuthorization(let status) = event { handle(.authorization(status)) }
    if case .didUpdateLocations(let locations) = event { handle(.locations(locations)) }
    if case .didFailWithError(let error) = event { handle(.locationFailed(error)) }
    // The lost events may contain a change of authorization.
    if case .didDropEvents = event {
      handle(.authorization(locationClient.authorizationStatus()))
    }
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
          return .place(
            number, try await places.enrich($0).enrichment(of: PlaceEnrichment.self)?.place)
        } catch { return .placeFailed(number, error) }
      }
    case .fetch(let number, let location, let place):
      var value = EnrichedLocation(location)
      value.add(PlaceEnrichment(place))
      lookUp(value) { [forecasts] in
        do throws(WeatherError) {
          guard
            let enrichment = try await forecasts.enrich($0).enrichment(of: WeatherEnrichment.self)
          else { return nil }
          return .weather(number, enrichment.report)
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

  /// Runs a lookup in its own task and sends the result to the state machine.
  private func lookUp(
    _ value: EnrichedLocation,
    _ body: @escaping @Sendable (EnrichedLocation) async -> WeatherMachine.Event?
  ) {
    lookup = OwnedTask { [weak self] in
      let event = await body(value)
      if let event, !Task.isCancelled { self?.handle(event) }
    }
  }
}

/// The properties of the state.
extension WeatherModel {
  /// Whether the network path is known to be satisfied.
  public var isConnected: Bool { state.isConnected }
  /// The place of the board.
  public var currentPlace: Place? { state.currentPlace }
  /// Fresh weather at ``currentPlace``.
  public var weather: WeatherReport? { state.weather }
  /// The daily forecast of ``weather``, today first.
  public var weatherResults: [DayWeather] { state.weatherResults }
  /// The alert to show while location access is denied or restricted.
  public var authorizationAlert: AuthorizationAlert? { state.authorizationAlert }
  /// The last error, or `nil` if a later lookup or location succeeded.
  public var lastError: WeatherModelError? { state.lastError }
  /// The newest weather, which may be expired.
  public var lastKnownWeather: LastKnownWeather? { state.lastKnownWeather }
  /// The age of ``lastKnownWeather`` in seconds; `nil` if ``lastKnownWeather`` is `nil`.
  public var lastKnownWeatherAgeSeconds: Double? {
    state.lastKnownWeather?.ageSeconds(at: now())
  }
  /// The title of the screen: the name of the place, or `Weather`.
  public var title: String { state.title }
}
