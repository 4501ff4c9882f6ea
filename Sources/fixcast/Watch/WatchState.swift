// SPDX-License-Identifier: Apache-2.0

import LocationServices
import PathMonitorClient
import Pipeline
import Positioning
import WeatherClient
import WeatherFeature

/// What a live view knows: the newest of each kind, and since when.
///
/// Events in, with the time at which they came; ``WatchView`` makes lines of it.
struct WatchState: Equatable, Sendable {
  /// Something, and the reading of the monotonic clock from which its age counts.
  struct Seen<Value: Equatable & Sendable>: Equatable, Sendable {
    var value: Value
    var at: MonotonicTime
  }

  /// How things stand with the position.
  enum Standing: Equatable, Sendable {
    /// No epoch has come yet.
    case waiting
    /// The newest epoch has a position.
    case located
    /// The newest epoch has none.
    case blind(Seen<Fix>)
    /// Nothing comes any more.
    case lost(Seen<SourceLoss>)
  }

  /// Weather, with the place it is for.
  struct Weather: Equatable, Sendable {
    var report: WeatherReport
    var place: Place?
  }

  /// Where fixes are to come from.
  let source: String
  /// Whether weather is asked for at all.
  let wantsWeather: Bool
  /// When the view began.
  let started: MonotonicTime
  private(set) var standing = Standing.waiting
  /// The newest location, present or not.
  private(set) var location: Seen<Location>?
  private(set) var sky: Seen<SkyView>?
  private(set) var server: Seen<SourceServer>?
  private(set) var receivers = WatchReceivers()
  private(set) var path: Seen<NetworkPath>?
  /// Why lookups are held, where they are.
  private(set) var hold: Seen<String>?
  private(set) var weather: Seen<Weather>?
  /// All that can be said of the weather, with a provider's answer and without.
  private(set) var outlook: Seen<WeatherOutlook>?
  /// Why the newest lookup had no answer, where it had none.
  private(set) var weatherFailure: Seen<String>?
  /// The newest failure of anything else.
  private(set) var failure: Seen<ErrorEvent>?
  /// Whether the position may not be known.
  private(set) var isRefused = false
  /// Whether an operator has to decide first.
  private(set) var isUndecided = false
  /// Whether locations are of reduced accuracy, of which one comes every quarter of an hour.
  private(set) var isReduced = false

  /// Makes a state of which nothing is known.
  ///
  /// - Parameters:
  ///   - source: Where fixes are to come from, as a source is named.
  ///   - wantsWeather: Whether weather is asked for at all.
  ///   - now: The present reading of the monotonic clock.
  init(source: String, wantsWeather: Bool, now: MonotonicTime) {
    self.source = source
    self.wantsWeather = wantsWeather
    started = now
  }

  /// Whether anything shown is the product of a simulation.
  var isSimulated: Bool {
    location?.value.isSimulated == true || sky?.value.isSimulated == true
      || weather?.value.report.isSimulated == true
      || outlook?.value.resolver.best?.isSimulated == true
  }

  /// Takes an event.
  mutating func handle(_ event: any PipelineEvent, at now: MonotonicTime) {
    switch event {
    case let event as LocationEvent: locate(event.location, at: now)
    case let event as NoFixEvent: lose(event.fix, at: now)
    case let event as SkyEvent:
      let at = event.sky.receivedAt ?? now
      sky = Seen(value: event.sky, at: at)
      receivers.heard(of: event.sky.source ?? event.device, at: at)
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

  /// Whether the location is of reduced accuracy: its age is not told, or it is known to be.
  var isCoarse: Bool { isReduced || location.map { $0.value.receivedAt == nil } ?? false }

  private mutating func locate(_ location: Location, at now: MonotonicTime) {
    let at = location.receivedAt ?? now
    self.location = Seen(value: location, at: at)
    if !isBeforeLoss(at) { standing = .located }
    receivers.heard(of: location.source, at: at)
  }

  private mutating func lose(_ fix: Fix, at now: MonotonicTime) {
    let at = fix.receivedAt ?? now
    if !isBeforeLoss(at) { standing = .blind(Seen(value: fix, at: at)) }
    receivers.heard(of: fix.source, at: at)
  }

  /// Locations come through the manager and may be overtaken by the loss that followed them.
  private func isBeforeLoss(_ time: MonotonicTime) -> Bool {
    if case .lost(let loss) = standing { time < loss.at } else { false }
  }

  private mutating func handle(_ event: SourceEvent, at now: MonotonicTime) {
    switch event {
    case .connected(let server): self.server = Seen(value: server, at: now)
    case .receiver(let receiver): receivers.note(receiver, at: now)
    case .lost(let loss, _):
      let at = loss.at ?? now
      receivers.lose(loss, at: at)
      // The server is named again once it is reached again.
      if loss.receiver == nil, loss.reason != .silent { server = nil }
      // One of several receivers is not all of them.
      guard loss.receiver == nil || loss.receiver == newestReceiver || newestReceiver == nil
      else { return }
      // Trying again is not being lost again: since the first time, for the newest reason.
      if case .lost(let first) = standing {
        standing = .lost(Seen(value: loss, at: first.at))
      } else {
        standing = .lost(Seen(value: loss, at: at))
      }
    }
  }

  /// Whose the newest epoch is.
  private var newestReceiver: String? {
    switch standing {
    case .blind(let fix): fix.value.source
    case .waiting, .located, .lost: location?.value.source
    }
  }

  private mutating func handle(_ event: GateEvent, at now: MonotonicTime) {
    switch event.verdict {
    case .passes: hold = nil
    case .holds(let reason):
      // Held since it began to be, whatever the reason turns into.
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
    standing = .waiting
  }
}
