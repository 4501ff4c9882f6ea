// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Pipeline
internal import Positioning
internal import WeatherFeature

/// Converts events into the messages of a board.
struct MQTTBoardState: Sendable {
  /// A position for the outbox.
  struct KeptPosition: Equatable, Sendable {
    let payload: [UInt8]
    let time: UTCTime?
  }

  private let settings: MQTTBoardSettings
  private var rate: PositionRate
  private var skyAt: MonotonicTime?
  private var weatherRate: WeatherRate
  /// The receivers by name.
  private var receivers: [String: ReceiverInfo] = [:]
  /// The receiver of the last position, or else the one that was found last.
  private var current: String?
  private var line = JSONLine()
  /// The time since which positions have no date; `nil` after one with a date.
  private var undatedSince: MonotonicTime?
  private var hasWarnedOfDate = false
  /// The time without a date after which a receiver counts as sending none, in seconds.
  private static let maxUndatedSeconds = 10.0

  init(_ settings: MQTTBoardSettings) {
    self.settings = settings
    rate = settings.rate
    weatherRate = WeatherRate(intervalSeconds: settings.weatherIntervalSeconds)
  }

  /// The messages before the first event, which replace those of an earlier run.
  ///
  /// The position is the first one, and the large message for Home Assistant the last one: a broker
  /// with a packet limit closes the connection at it.
  var initialMessages: [MQTTMessage] {
    var messages = messagesWithoutLocation
    if settings.classes.contains(.device) { messages.append(status) }
    if let prefix = settings.homeAssistantPrefix {
      messages.append(HomeAssistantDevice(settings).discovery(prefix: prefix))
    }
    return messages
  }

  /// Returns a warning, once, if OwnTracks gets nothing because the positions have no date.
  mutating func dateWarning(of location: Location, now: MonotonicTime) -> String? {
    guard settings.ownTracks != nil, location.time == nil else {
      undatedSince = nil
      return nil
    }
    let since = undatedSince ?? now
    undatedSince = since
    guard !hasWarnedOfDate, now.seconds(since: since) >= Self.maxUndatedSeconds else { return nil }
    hasWarnedOfDate = true
    return "OwnTracks gets no positions, since they have no date; enable the receiver's sentence "
      + "RMC or ZDA"
  }

  /// The messages that replace everything that reveals where the board is or was.
  private var messagesWithoutLocation: [MQTTMessage] {
    let topics = settings.topics
    let messages: [(EventSelection.Class, MQTTMessage)] = [
      (.position, MQTTMessage(topic: topics.position, payload: PositionPayload.none)),
      // An empty message, which removes the retained one.
      (.sky, MQTTMessage(topic: topics.sky, payload: [])),
      // Home Assistant's templates need an object.
      (
        .weather,
        MQTTMessage(
          topic: topics.weather, payload: PositionPayload.object { $0.constant("class", "WEATHER") }
        )
      ),
    ]
    return messages.compactMap { settings.classes.contains($0) ? $1 : nil }
  }

  /// Returns the messages about an event, and the position to keep, if any.
  mutating func receive(
    _ event: any PipelineEvent, now: MonotonicTime, utcNow: UTCTime?
  ) -> (messages: [MQTTMessage], kept: KeptPosition?) {
    switch event {
    case let event as LocationEvent: return position(event.location, now)
    case let event as NoFixEvent:
      return (noteData(from: event.fix.source) + noPosition(now), nil)
    case let event as SkyEvent:
      guard settings.classes.contains(.sky), isSkyDue(now) else { break }
      return ([message(settings.topics.sky) { $0.appendSKY(event.sky, device: event.device) }], nil)
    case is EnrichedEvent, is OutlookEvent:
      guard settings.classes.contains(.weather), weatherRate.takes(event, at: now) else { break }
      let weather = message(settings.topics.weather) { $0.append(event, now: nil, utcNow: utcNow) }
      return (weather.payload.isEmpty ? [] : [weather], nil)
    case SourceEvent.receiver(let receiver) as SourceEvent:
      note(receiver)
      return (settings.classes.contains(.device) ? [status] : [], nil)
    case SourceEvent.lost(let loss, _) as SourceEvent: return (lost(loss.receiver, now), nil)
    case let event as AuthorizationEvent:
      let authorization = event.authorization
      let isFull = authorization.status.isAuthorized && authorization.accuracy == .fullAccuracy
      return (isFull ? [] : withdrawLocation(now), nil)
    default: break
    }
    return ([], nil)
  }

  /// Returns the messages after the loss of a receiver, or of all receivers if the name is `nil`.
  private mutating func lost(_ receiver: String?, _ now: MonotonicTime) -> [MQTTMessage] {
    let isOfPosition = receiver == nil || receiver == current
    for name in receivers.keys where receiver ?? name == name { receivers[name]?.isActive = false }
    let active = receivers.values.filter(\.isActive).map(\.name).min()
    if let active, isOfPosition { current = active }
    var messages = settings.classes.contains(.device) ? [status] : []
    if isOfPosition || active == nil, settings.classes.contains(.position),
      rate.takesLossOfReceiver(at: now)
    {
      messages.append(MQTTMessage(topic: settings.topics.position, payload: PositionPayload.none))
    }
    return messages
  }

  private mutating func withdrawLocation(_ now: MonotonicTime) -> [MQTTMessage] {
    _ = rate.takesLossOfReceiver(at: now)
    skyAt = nil
    weatherRate = WeatherRate(intervalSeconds: settings.weatherIntervalSeconds)
    return messagesWithoutLocation
  }

  private mutating func position(
    _ location: Location, _ now: MonotonicTime
  ) -> ([MQTTMessage], KeptPosition?) {
    let name = location.source ?? ""
    var messages = noteData(from: name)
    if current != name {
      current = name
      messages = settings.classes.contains(.device) ? [status] : []
    }
    guard settings.classes.contains(.position), rate.takes(location.coordinate, at: now) else {
      return (messages, nil)
    }
    let payload = PositionPayload.json(location)
    messages.append(MQTTMessage(topic: settings.topics.position, payload: payload))
    guard let name = settings.ownTracks else {
      return (messages, KeptPosition(payload: payload, time: location.time))
    }
    guard let ownTracks = PositionPayload.ownTracks(location, name: name) else {
      return (messages, nil)
    }
    return (messages, KeptPosition(payload: ownTracks, time: location.time))
  }

  /// Returns the status if data shows that a receiver is connected that was not.
  ///
  /// A sink that started later than a receiver knows the receiver by its data only.
  private mutating func noteData(from name: String?) -> [MQTTMessage] {
    guard let name, receivers[name]?.isActive != true else { return [] }
    var receiver = receivers[name] ?? ReceiverInfo(name: name, isActive: true)
    receiver.isActive = true
    note(receiver)
    return settings.classes.contains(.device) ? [status] : []
  }

  private mutating func note(_ receiver: ReceiverInfo) {
    // The names of receivers that are plugged in again may differ.
    if receivers.count >= 64 { receivers = [:] }
    receivers[receiver.name] = receiver
    if receivers[current ?? ""]?.isActive != true { current = receiver.name }
  }

  private mutating func noPosition(_ now: MonotonicTime) -> [MQTTMessage] {
    guard settings.classes.contains(.position), rate.takesLoss(at: now) else { return [] }
    return [MQTTMessage(topic: settings.topics.position, payload: PositionPayload.none)]
  }

  private mutating func isSkyDue(_ now: MonotonicTime) -> Bool {
    if let skyAt, now.seconds(since: skyAt) + 0.5 < settings.rate.restIntervalSeconds {
      return false
    }
    skyAt = now
    return true
  }

  private var status: MQTTMessage {
    let receiver = receivers[current ?? ""]
    let payload = PositionPayload.object { line in
      let isConnected = receivers.values.contains(where: \.isActive)
      line.constant("receiver", isConnected ? "connected" : "disconnected")
      if let name = receiver?.name, !name.isEmpty { line.string("device", name) }
      line.string("driver", receiver?.driver)
      line.string("model", receiver?.model)
    }
    return MQTTMessage(topic: settings.topics.status, payload: payload)
  }

  private mutating func message(_ topic: String, _ body: (inout JSONLine) -> Void) -> MQTTMessage {
    line.removeAll()
    body(&line)
    return MQTTMessage(topic: topic, payload: line.bytes.dropLast())
  }
}
