// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import SystemSupport

/// The messages that a board publishes.
struct MQTTBoardSettings: Sendable {
  private static let board = SettingKey.text(
    "board", summary: "name of this board in topics; default the host name"
  ).optional.example(.string("van"))
  private static let prefix = SettingKey.text(
    "topic_prefix", default: "fixcast", summary: "first part of all topics")
  private static let intervalSeconds = SettingKey.number(
    "interval_seconds", in: 0...86_400, default: 10,
    summary: "minimum time between two positions on the move")
  private static let distanceMeters = SettingKey.number(
    "distance_meters", in: 0...100_000, default: 10,
    summary: "distance from the last position beyond which the board is on the move")
  private static let restIntervalSeconds = SettingKey.number(
    "rest_interval_seconds", in: 0...86_400, default: 30,
    summary: "minimum time between two positions at rest, and between two reports of satellites; "
      + "default 30, or interval_seconds if that is longer")
  private static let weatherIntervalSeconds = SettingKey.number(
    "weather_interval_seconds", in: 60...86_400, default: 600,
    summary: "time after which weather that has not changed is published again with its new age")
  private static let homeAssistant = SettingKey.flag(
    "homeassistant", default: false, summary: "whether Home Assistant discovers the board")
  private static let homeAssistantPrefix = SettingKey.text(
    "homeassistant_prefix", default: "homeassistant",
    summary: "first part of Home Assistant's discovery topics")
  private static let birthTopic = SettingKey.text(
    "homeassistant_birth_topic",
    summary: "topic on which Home Assistant announces its start; default PREFIX/status"
  ).optional.example(.string("homeassistant/status"))
  private static let ownTracks = SettingKey.text(
    "owntracks", summary: "USER/DEVICE, to publish positions in OwnTracks' format, too"
  ).optional.example(.string("pi/van"))
  private static let classKey = SettingKey.list(
    "classes", of: MQTTBoardSettings.classNames, default: MQTTBoardSettings.classNames,
    summary: "objects to publish: positions, satellites, weather and receiver")
  private static let allClasses: [EventSelection.Class] = [.position, .sky, .weather, .device]
  private static let classNames = allClasses.map(\.rawValue)

  static let settings = [
    board.declaration, prefix.declaration, classKey.declaration, intervalSeconds.declaration,
    distanceMeters.declaration, restIntervalSeconds.declaration, weatherIntervalSeconds.declaration,
    homeAssistant.declaration, homeAssistantPrefix.declaration, birthTopic.declaration,
    ownTracks.declaration,
  ]

  var topics: MQTTTopics
  /// The classes of published objects, as in JSON lines.
  var classes = Set(allClasses)
  var rate = PositionRate()
  /// The time after which unchanged weather is published again.
  var weatherIntervalSeconds = 600.0
  /// The version of the program; `nil` if it is unknown.
  var version: String?
  /// The first part of Home Assistant's discovery topics; `nil` without discovery.
  var homeAssistantPrefix: String?
  /// The topic on which Home Assistant announces its start; `nil` without discovery.
  var birthTopic: String?
  /// The user and the device of OwnTracks, as `USER/DEVICE`; `nil` without its format.
  var ownTracks: String?

  init(topics: MQTTTopics) { self.topics = topics }

  /// Reads the settings; throws `SettingsError` if a name cannot be part of a topic.
  init(_ settings: SettingsTable) throws(SettingsError) {
    let prefix = try settings.value(of: Self.prefix)
    try Self.check(prefix, "topic_prefix", settings)
    topics = MQTTTopics(
      prefix: prefix, board: try settings.value(of: Self.board) ?? HostName.text ?? "board")
    classes = Set(
      try settings.value(of: Self.classKey).compactMap { EventSelection.Class(rawValue: $0) })
    rate.intervalSeconds = try settings.value(of: Self.intervalSeconds)
    rate.distanceMeters = try settings.value(of: Self.distanceMeters)
    rate.restIntervalSeconds = try settings.value(of: Self.restIntervalSeconds)
    if settings["rest_interval_seconds"] == nil {
      rate.restIntervalSeconds = max(rate.restIntervalSeconds, rate.intervalSeconds)
    }
    weatherIntervalSeconds = try settings.value(of: Self.weatherIntervalSeconds)
    if rate.restIntervalSeconds < rate.intervalSeconds {
      throw settings.error(
        .conflict("must be at least interval_seconds"), in: "rest_interval_seconds")
    }
    if try settings.value(of: Self.homeAssistant) {
      let prefix = try settings.value(of: Self.homeAssistantPrefix)
      try Self.check(prefix, "homeassistant_prefix", settings)
      let birth = try settings.value(of: Self.birthTopic) ?? "\(prefix)/status"
      try Self.check(birth, "homeassistant_birth_topic", settings)
      (homeAssistantPrefix, birthTopic) = (prefix, birth)
    }
    if let name = try settings.value(of: Self.ownTracks) {
      try Self.check(name, "owntracks", settings)
      let parts = name.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else {
        throw settings.error(.conflict("must be USER/DEVICE"), in: "owntracks")
      }
      ownTracks = name
    }
  }

  /// Throws an error for a text that cannot be part of a topic for publishing.
  private static func check(
    _ text: String, _ key: String, _ settings: SettingsTable
  ) throws(SettingsError) {
    guard MQTTTopics.isAllowed(text), !text.contains("+"), !text.contains("#"), !text.isEmpty,
      text.utf8.count <= 200, !text.hasPrefix("$")
    else {
      throw settings.error(
        .conflict("must be a topic of at most 200 bytes, without + and #"), in: key)
    }
  }
}
