// SPDX-License-Identifier: Apache-2.0

import LocationServices
import PathMonitorClient
import Pipeline
import Plugins
import Positioning
import Receivers
import WeatherClient
import WeatherFeature

/// The state of the live view: the newest event of each kind, with its time.
///
/// Events are added with their time of arrival; ``WatchView`` formats the state.
struct WatchState: Equatable, Sendable {
  /// A value and the monotonic time from which its age is computed.
  struct Timestamped<Value: Equatable & Sendable>: Equatable, Sendable {
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
    case noFix(Timestamped<Fix>)
    /// The source is lost.
    case lost(Timestamped<SourceLoss>)
  }

  /// A weather report and its place.
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
  /// The command that lets this user know the position.
  var allowCommand = "sudo fixcast auth allow"
  /// The units and the time zone of the view.
  var format = ValueFormat()
  private(set) var positionStatus = PositionStatus.waiting
  /// The time of the first epoch without a position since the last position.
  private(set) var noFixSince: MonotonicTime?
  /// The receiver's time; `nil` until a location has a certain time.
  private(set) var receiverClock: ReceiverClock?
  /// The newest location, current or not.
  private(set) var location: Timestamped<Location>?
  private(set) var sky: Timestamped<SkyView>?
  private(set) var server: Timestamped<SourceServer>?
  private(set) var receivers = WatchReceivers()
  /// The statements of receivers about themselves, by the name of the receiver.
  private(set) var messages: [String: ReceiverMessages] = [:]
  private(set) var path: Timestamped<NetworkPath>?
  /// The reason why lookups are held; `nil` if no lookups are held.
  private(set) var hold: Timestamped<String>?
  private(set) var weather: Timestamped<Weather>?
  /// The best known weather from all origins: provider, stored forecast and sensors.
  private(set) var outlook: Timestamped<WeatherOutlook>?
  /// The error of the newest lookup; `nil` if the lookup succeeded.
  private(set) var weatherFailure: Timestamped<String>?
  /// The newest failure of a component other than the weather.
  private(set) var failure: Timestamped<ErrorEvent>?
  /// Whether access to the position is denied.
  private(set) var isRefused = false
  /// Whether access depends on an operator's answer.
  private(set) var isUndecided = false
  /// Whether accuracy is reduced, in which case one location arrives every 15 minutes.
  private(set) var isReduced = false
  /// Whether the exact position may be shown.
  private(set) var isFullyAuthorized = false
  /// The newest raw sentences, the oldest first; `nil` if this process does not read the receiver.
  var sentences: [String]?

  /// The counts of the lines that this process or the daemon has received; zero if unknown.
  var received = ReceivedLines()

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

  /// Whether any shown value is from a recording.
  var isReplayed: Bool {
    location?.value.isReplayed == true || sky?.value.isReplayed == true
      || outlook?.value.resolved.best?.isReplayed == true
  }

  /// Updates the state with an event.
  mutating func handle(_ event: any PipelineEvent, at now: MonotonicTime) {
    switch event {
    case let event as LocationEvent: locate(event.location, at: now)
    case let event as NoFixEvent: handleNoFix(event.fix, at: now)
    case let event as SkyEvent:
      let at = event.sky.receivedAt ?? now
      sky = Timestamped(value: event.sky, at: at)
      receivers.markPresent(event.sky.source ?? event.device, at: at)
    case let event as SourceEvent: handle(event, at: now)
    case let event as PathEvent: path = Timestamped(value: event.path, at: now)
    case let event as GateEvent: handle(event, at: now)
    case let event as OutlookEvent: outlook = Timestamped(value: event.outlook, at: now)
    case let event as EnrichedEvent: enrich(event.value, at: now)
    case let event as AuthorizationEvent: authorize(event.authorization)
    case let event as ErrorEvent: handle(event, at: now)
    default: break
    }
  }

  /// Whether the location has reduced accuracy, as shown by the authorization or a missing age.
  var isCoarse: Bool { isReduced || location.map { $0.value.receivedAt == nil } ?? false }

  private mutating func locate(_ location: Location, at now: MonotonicTime) {
    let at = location.receivedAt ?? now
    receiverClock = ReceiverClock(location) ?? receiverClock
    self.location = Timestamped(value: location, at: at)
    if !isBeforeLoss(at) { (positionStatus, noFixSince) = (.located, nil) }
    receivers.markPresent(location.source, at: at)
  }

  private mutating func handleNoFix(_ fix: Fix, at now: MonotonicTime) {
    let at = fix.receivedAt ?? now
    if !isBeforeLoss(at) {
      positionStatus = .noFix(Timestamped(value: fix, at: at))
      noFixSince = noFixSince ?? at
    }
    receivers.markPresent(fix.source, at: at)
  }

  /// Whether a time is before the loss.
  ///
  /// Locations pass through `LocationManager`, so an earlier location may arrive after a loss.
  private func isBeforeLoss(_ time: MonotonicTime) -> Bool {
    if case .lost(let loss) = positionStatus { time < loss.at } else { false }
  }

  private mutating func handle(_ event: SourceEvent, at now: MonotonicTime) {
    switch event {
    case .connected(let server):
      self.server = Timestamped(value: server, at: now)
      receivers.removeLostWithServer()
    case .receiver(let receiver): receivers.update(receiver, at: now)
    case .message(let message, let source):
      // The number of receivers is limited, and so is the number of their messages.
      guard messages[source] != nil || messages.count < WatchReceivers.limit else { return }
      messages[source, default: ReceiverMessages()].note(message)
    case .lost(let loss, let name):
      let at = loss.at ?? now
      receivers.markLost(loss, at: at)
      if loss.reason != .silent { messages[loss.receiver ?? name] = nil }
      // The server is reported again after reconnecting.
      if loss.receiver == nil, loss.reason != .silent { server = nil }
      // The loss of a receiver that did not deliver the newest epoch does not concern the position.
      guard loss.receiver == nil || loss.receiver == newestReceiver || newestReceiver == nil
      else { return }
      // If the loss is repeated, keeps the time of the first loss but the newest reason.
      if case .lost(let first) = positionStatus {
        positionStatus = .lost(Timestamped(value: loss, at: first.at))
      } else {
        positionStatus = .lost(Timestamped(value: loss, at: at))
      }
    }
  }

  /// The receiver of the newest epoch.
  private var newestReceiver: String? {
    switch positionStatus {
    case .noFix(let fix): fix.value.source
    case .waiting, .located, .lost: location?.value.source
    }
  }

  private mutating func handle(_ event: GateEvent, at now: MonotonicTime) {
    switch event.verdict {
    case .passes: hold = nil
    case .holds(let reason):
      // Keeps the start time of the hold, even if the reason changes.
      hold = Timestamped(value: reason, at: hold?.at ?? now)
    }
  }

  private mutating func enrich(_ value: EnrichedLocation, at now: MonotonicTime) {
    guard let report = value.enrichment(of: WeatherEnrichment.self)?.report else { return }
    let place = value.enrichment(of: PlaceEnrichment.self)?.place
    weather = Timestamped(
      value: Weather(report: report, place: place), at: report.receivedAt ?? now)
    weatherFailure = nil
  }

  private mutating func handle(_ event: ErrorEvent, at now: MonotonicTime) {
    if event.source == "weather" {
      weatherFailure = Timestamped(value: event.message, at: now)
    } else {
      failure = Timestamped(value: event, at: now)
    }
  }

  private mutating func authorize(_ authorization: Authorization) {
    isUndecided = authorization.status == .notDetermined
    isReduced = authorization.accuracy == .reducedAccuracy
    isRefused = authorization.status.isRefused
    isFullyAuthorized = !isRefused && !isUndecided && !isReduced
    guard isRefused else { return }
    location = nil
    sky = nil
    weather = nil
    outlook = nil
    positionStatus = .waiting
  }
}
