// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import FleetProtocol

/// The settings of a board of a fleet, besides those of the broker.
struct FleetBoardSettings: Sendable {
  /// The accuracy of the published positions.
  enum Accuracy: String, CaseIterable, Sendable { case full, reduced }

  /// The program whose acknowledgement removes a batch from the outbox.
  enum Acknowledgement: String, CaseIterable, Sendable { case consumer, broker }

  /// The source of the weather while the fleet's report is too old.
  enum Fallback: String, CaseIterable, Sendable { case own, stored }

  private static let board = SettingKey.text(
    "board", summary: "id of this board: 1 to 32 of a-z, 0-9 and -; default from the machine id"
  ).optional.example(.string("van-7"))
  private static let shard = SettingKey.choice(
    "shard", of: FleetShard.allCases.map(\.description),
    summary: "part of the fleet; default from the board's id"
  ).optional.example(.string("a"))
  private static let accuracy = SettingKey<Accuracy>.choice(
    "accuracy", default: .full, summary: "reduced publishes cells of several kilometres only")
  private static let acknowledgement = SettingKey<Acknowledgement>.choice(
    "ack", default: .consumer,
    summary: "what removes a position from the outbox; broker is for fleets without fixcast-fleet")
  private static let intervalSeconds = SettingKey.number(
    "interval_seconds", in: 0...86_400, default: 1,
    summary: "minimum time between two positions on the move")
  private static let restIntervalSeconds = SettingKey.number(
    "rest_interval_seconds", in: 0...86_400, default: 30,
    summary: "minimum time between two positions at rest")
  private static let batchFixes = SettingKey.count(
    "batch_fixes", in: 1...FleetBatch.maxCount, default: 30, summary: "positions of a full batch")
  private static let batchSeconds = SettingKey.number(
    "batch_seconds", in: 0.1...86_400, default: 10,
    summary: "time after which a batch is stored and published; a power cut loses as much")
  private static let startDelaySeconds = SettingKey.number(
    "start_delay_seconds", in: 0...3600, default: 120,
    summary: "maximum of the random delay of batches after a connection")
  private static let outbox = SettingKey.path(
    "outbox", default: "/var/lib/fixcast/fleet.sqlite",
    summary: "SQLite file that keeps positions until they are acknowledged")
  private static let limitBytes = SettingKey.count(
    "outbox_limit_bytes", in: 10_000...100_000_000_000, default: 64_000_000,
    summary: "size of the kept positions beyond which the oldest day is thinned out")
  private static let keepDays = SettingKey.count(
    "outbox_days", in: 1...36_500, default: 30, summary: "number of days to keep positions")
  private static let weather = SettingKey.flag(
    "weather", default: false, summary: "whether to use the weather that the fleet sends")
  private static let fallback = SettingKey<Fallback>.choice(
    "fallback", default: .own,
    summary: "weather while the fleet's is older than 45 minutes: own providers, or stored forecast"
  )

  static let settings = [
    board.declaration, shard.declaration, accuracy.declaration, acknowledgement.declaration,
    intervalSeconds.declaration, restIntervalSeconds.declaration, batchFixes.declaration,
    batchSeconds.declaration, startDelaySeconds.declaration, outbox.declaration,
    limitBytes.declaration, keepDays.declaration, weather.declaration, fallback.declaration,
  ]

  /// The configured id; `nil` for the one of the machine id.
  let board: FleetBoardID?
  let shard: FleetShard?
  let isReduced: Bool
  let acknowledgement: Acknowledgement
  let rate: PositionRate
  let batchFixes: Int
  let batchSeconds: Double
  let startDelaySeconds: Double
  let outboxPath: String
  let outboxLimitBytes: Int
  let outboxDays: Int
  let usesWeather: Bool
  let usesOnlyFleetWeather: Bool

  /// Reads the settings; throws `SettingsError` if the id is invalid.
  init(_ settings: SettingsTable) throws(SettingsError) {
    let name = try settings.value(of: Self.board)
    board = name.flatMap { FleetBoardID($0) }
    if name != nil, board == nil {
      throw settings.error(.conflict("must have 1 to 32 of a-z, 0-9 and -"), in: "board")
    }
    shard = try settings.value(of: Self.shard).flatMap { FleetShard($0) }
    isReduced = try settings.value(of: Self.accuracy) == .reduced
    acknowledgement = try settings.value(of: Self.acknowledgement)
    var rate = PositionRate()
    rate.intervalSeconds = try settings.value(of: Self.intervalSeconds)
    rate.restIntervalSeconds = try settings.value(of: Self.restIntervalSeconds)
    if rate.restIntervalSeconds < rate.intervalSeconds {
      throw settings.error(
        .conflict("must be at least interval_seconds"), in: "rest_interval_seconds")
    }
    self.rate = rate
    batchFixes = try settings.value(of: Self.batchFixes)
    batchSeconds = try settings.value(of: Self.batchSeconds)
    startDelaySeconds = try settings.value(of: Self.startDelaySeconds)
    outboxPath = try settings.value(of: Self.outbox)
    outboxLimitBytes = try settings.value(of: Self.limitBytes)
    outboxDays = try settings.value(of: Self.keepDays)
    usesWeather = try settings.value(of: Self.weather)
    usesOnlyFleetWeather = try settings.value(of: Self.fallback) == .stored && usesWeather
  }
}
