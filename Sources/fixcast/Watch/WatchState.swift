// SPDX-License-Identifier: Apache-2.0

import LocationServices
import PathMonitorClient
import Pipeline
import Positioning
import WeatherClient
import WeatherFeature

/// The state of the live view: the newest event of each kind, with its time.
///
/// Events are added with their time of arrival; ``WatchView`` formats the state.
struct WatchState: Equatable, Sendable {
  /// A value and the monotonic time from which its age is computed.
  struct Seen<Value: Equatable & Sendable>: Equatable, Sendable {
    var value: Value
    var at: MonotonicTime
  }

  /// The status of the position.
  enum PositionStatus: Equatable, Sendable {
    /// No epoch has been received yet.
    case waiting
    /// The newest epoch has a position.
    case located
    /// The newest epoch has no position.
    case blind(Seen<Fix>)
    /// The source is lost.
    case lost(Seen<SourceLoss>)
  }

  /// A weather report and the place it is for.
  struct Weather: Equatable, Sendable {
    var report: WeatherReport
    var place: Place?
  }

  /// The name of the source.
  let source: String
  /// Whether the view shows the weather.
  let wantsWeather: Bool
  /// The start time of the view.
  let started: MonotonicTime
  private(set) var positionStatus = PositionStatus.waiting
  /// The newest location, current or not.
  private(set) var location: Seen<Location>?
  private(set) var sky: Seen<SkyView>?
  private(set) var server: Seen<SourceServer>?
  private(set) var receivers = WatchReceivers()
  private(set) var path: Seen<NetworkPath>?
  /// The reason why lookups are held; `nil` if no lookups are held.
  private(set) var hold: Seen<String>?
  private(set) var weather: Seen<Weather>?
  /// The best known weather from all origins: provider, stored forecast and sensors.
  private(set) var outlook: Seen<WeatherOutlook>?
  /// The error of the newest lookup; `nil` if the lookup succeeded.
  private(set) var weatherFailure: Seen<String>?
  /// The newest failure of another component.
  private(set) var failure: Seen<ErrorEvent>?
  /// Whether access to the position is denied.
  private(set) var isRefused = false
  /// Whether access depends on an operator's answer.
  private(set) var isUndecided = false
  /// Whether accuracy is reduced, in which case one location arrives every 15 minutes.
  private(set) var isReduced = false

  /// Creates the state before the first event, with the name of the source and the start time.
  init(source: String, wantsWeather: Bool, now: MonotonicTime) {
    self.source = source
    self.wantsWeather = wantsWeather
    started = now
  }

  /// Whether any shown value is simulated.
  var isSimulated: Bool {
    location?.value.isSimulated == true || sky?.value.isSimulated == true
      || weather?.value.report.isSimulated == true
      || outlook?.value.resolved.best?.isSimulated == true
  }

  /// Updates the state with an event.
  mutating func handle(_ event: any PipelineEvent, at now: MonotonicTime) {
    switch event {
    case let event as LocationEvent: locate(event.location, at: now)
    case let event as NoFixEvent: handleNoFix(event.fix, at: now)
    case let event as SkyEvent:
      let at = event.sky.receivedAt ?? now
      sky = Seen(value: event.sky, at: at)
      receivers.markPresent(event.sky.source ?? event.device, at: at)
    case let event as SourceEvent: handle(event, at: now)
    case let event as PathEvent: path = Seen(value: event.path, at: now)
    case let event as GateEvent: handle(event, at: now)
    case let event as OutlookEvent: outlook = Seen(value: event.outlook, at: now)
    case let event as EnrichedEvent: enrich(event.value, at: now)
    case let event as AuthorizationEvent: authorize(event.authorization)
    case let event as ErrorEvent: handle(event, at: now)
    default: break
    }
  }

  /// Whether the location has reduced accuracy, by authorization or because its age is unknown.
  var isCoarse: Bool { isReduced || location.map { $0.value.receivedAt == nil } ?? false }

  private mutating func locate(_ location: Location, at now: MonotonicTime) {
    let at = location.receivedAt ?? now
    self.location = Seen(value: location, at: at)
    if !isBeforeLoss(at) { positionStatus = .located }
    receivers.markPresent(location.source, at: at)
  }

  private mutating func handleNoFix(_ fix: Fix, at now: MonotonicTime) {
    let at = fix.receivedAt ?? now
    if !isBeforeLoss(at) { positionStatus = .blind(Seen(value: fix, at: at)) }
    receivers.markPresent(fix.source, at: at)
  }

  /// Whether a time is before the loss.
  ///
  /// Locations pass through the manager, so a loss may overtake them.
  private func isBeforeLoss(_ time: MonotonicTime) -> Bool {
    if case .lost(let loss) = positionStatus { time < loss.at } else { false }
  }

  private mutating func handle(_ event: SourceEvent, at now: MonotonicTime) {
    switch event {
    case .connected(let server): self.server = Seen(value: server, at: now)
    case .receiver(let receiver): receivers.update(receiver, at: now)
    case .lost(let loss, _):
      let at = loss.at ?? now
      receivers.markLost(loss, at: at)
      // The server is reported again after reconnecting.
      if loss.receiver == nil, loss.reason != .silent { server = nil }
      // With several receivers, the loss of another one does not concern the position.
      guard loss.receiver == nil || loss.receiver == newestReceiver || newestReceiver == nil
      else { return }
      // If the loss is repeated, keeps the time of the first loss but the newest reason.
      if case .lost(let first) = positionStatus {
        positionStatus = .lost(Seen(value: loss, at: first.at))
      } else {
        positionStatus = .lost(Seen(value: loss, at: at))
      }
    }
  }

  /// The receiver of the newest epoch.
  private var newestReceiver: String? {
    switch positionStatus {
    case .blind(let fix): fix.value.source
    case .waiting, .located, .lost: location?.value.source
    }
  }

  private mutating func handle(_ event: GateEvent, at now: MonotonicTime) {
    switch event.verdict {
    case .passes: hold = nil
    case .holds(let reason):
      // Keeps the start time of the hold, even if the reason changes.
      hold = Seen(value: reason, at: hold?.at ?? now)
    }
  }

  private mutating func enrich(_ value: EnrichedLocation, at now: MonotonicTime) {
    guard let report = value.found(WeatherEnrichment.self)?.report else { return }
    let place = value.found(PlaceEnrichment.self)?.place
    weather = Seen(value: Weather(report: report, place: place), at: report.receivedAt ?? now)
    weatherFailure = nil
  }

  private mutating func handle(_ event: ErrorEvent, at now: MonotonicTime) {
    if event.source == "weather" {
      weatherFailure = Seen(value: event.message, at: now)
    } else {
      failure = Seen(value: event, at: now)
    }
  }

  private mutating func authorize(_ authorization: Authorization) {
    isUndecided = authorization.status == .notDetermined
    isReduced = authorization.accuracy == .reducedAccuracy
    isRefused = authorization.status.isRefused
    guard isRefused else { return }
    location = nil
    sky = nil
    weather = nil
    outlook = nil
    positionStatus = .waiting
  }
}
