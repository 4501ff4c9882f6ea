// SPDX-License-Identifier: Apache-2.0

internal import DaemonServer
internal import LocationServices
internal import PathMonitorClient
internal import Pipeline
internal import Positioning
internal import Receivers

/// How the daemon stands, for people and programs that watch over it.
///
/// The texts of errors may say where the board is, as the address does that a provider was asked at:
/// they are for root and for those who may know that. The rest is for whoever may talk to the daemon
/// at all.
struct DaemonReport: Sendable {
  var version = ""
  /// When it was started, by the board's clock, which may have been set since.
  var startedAt: UTCTime?
  var uptimeSeconds: Double = 0
  /// What the daemon itself may know; `nil` until it runs.
  var authorization: AuthorizationStatus?
  var source = DaemonSources.Standing()
  var plugins: [PluginStatus] = []
  var counters = PipelineCounters()
  /// How lookups of the weather stand; `nil` where it is off.
  var weather: WeatherStanding?
  var path: NetworkPath?
  /// What keeps the sinks from being told all; `nil` where nothing does.
  var ownUse: DaemonAuthorizationStatus?
  /// The files that are in force.
  var configurationFiles: [String] = []
  /// When they were read last, on the clock that never jumps.
  var loadedAt: MonotonicTime?
  /// What is wrong with what the files say now, a line each; empty where what they say is in force.
  var configurationErrors: [String] = []
  /// Why nothing can be kept for the next start; `nil` where it can.
  var stateFault: String?
  var lostLogLines: UInt64 = 0
  /// What is missing in the log of authorization of what clients did.
  var lostAuditLines: UInt64 = 0

  /// The report for each kind of reader.
  func status(now: MonotonicTime) -> ServerStatus {
    ServerStatus(forEverybody: excerpt, forFullAccuracy: json(now: now))
  }

  /// The part of the report that every client may read, as an object without a newline.
  ///
  /// It has no counts and ages, since error counts reveal how far the board has moved, and no names of
  /// ports, plugins and files.
  private var excerpt: [UInt8] {
    var line = JSONLine(reservingCapacity: 256)
    line.beginObject()
    line.string("release", version)
    line.string("authorization", authorization.flatMap { $0.isRefused ? "\($0)" : nil })
    line.beginObject("source")
    line.string("state", source.state.rawValue)
    line.endObject()
    // Commands send no request of their own then.
    if weather == nil { append(nil, to: &line, nil) }
    if let path { append(path, to: &line) }
    if !configurationErrors.isEmpty {
      line.beginObject("configuration")
      line.boolean("isBroken", true)
      line.endObject()
    }
    line.endObject()
    line.endLine()
    return Array(line.bytes.dropLast())
  }

  /// The report for root and for those who may know precisely where the board is.
  func json(now: MonotonicTime) -> [UInt8] {
    var line = JSONLine(reservingCapacity: 2048)
    line.beginObject()
    line.string("release", version)
    line.time("started", startedAt)
    line.decimal("uptime", uptimeSeconds, places: 0)
    line.string("authorization", authorization.flatMap { $0.isRefused ? "\($0)" : nil })
    line.beginObject("source")
    append(source, to: &line, now)
    line.endObject()
    line.beginArray("plugins")
    for plugin in plugins {
      line.beginObject()
      append(plugin, to: &line, now)
      line.endObject()
    }
    line.endArray()
    ownUse?.append(to: &line)
    line.beginObject("lookups")
    line.count("asked", counters.lookupsAsked)
    line.count("answered", counters.lookupsAnswered)
    line.count("failed", counters.lookupsFailed)
    line.count("postponed", counters.lookupsPostponed)
    line.endObject()
    append(weather, to: &line, now)
    line.count("locations", counters.locations)
    line.count("held", counters.held)
    line.count("errors", counters.errors)
    if let path { append(path, to: &line) }
    line.beginObject("configuration")
    line.array("files", configurationFiles)
    line.decimal("age", loadedAt.map { now.seconds(since: $0) }, places: 0)
    line.array("wrong", configurationErrors)
    line.endObject()
    line.string("stateFault", stateFault)
    line.count("lostLogLines", lostLogLines)
    line.count("lostAuditLines", lostAuditLines)
    line.endObject()
    line.endLine()
    return Array(line.bytes.dropLast())
  }

  private func append(
    _ source: DaemonSources.Standing, to line: inout JSONLine, _ now: MonotonicTime
  ) {
    line.string("name", source.name)
    line.string("state", source.state.rawValue)
    line.count("bytes", source.counters.bytes)
    line.count("sentences", source.counters.sentences)
    line.count("badLines", source.counters.errors)
    line.array("notices", source.situation.notices)
    line.count("droppedEvents", source.situation.droppedEventCount)
    line.count("errors", source.errorCount)
    line.count("restarts", source.situation.restartCount)
    line.decimal("fixAge", source.lastFixAt.map { now.seconds(since: $0) }, places: 1)
    line.string("lastError", source.lastError)
  }

  private func append(
    _ plugin: PluginStatus, to line: inout JSONLine, _ now: MonotonicTime
  ) {
    line.string("role", plugin.role.rawValue)
    line.string("name", plugin.name)
    line.string("state", plugin.state.rawValue)
    line.boolean("required", plugin.isRequired ? true : nil)
    line.count("errors", plugin.errorCount)
    line.count("restarts", plugin.restartCount)
    line.count("timeouts", plugin.timeoutCount)
    line.count("abandoned", plugin.abandonedCount)
    line.count("in", plugin.inCount)
    line.count("out", plugin.outCount)
    line.count("dropped", plugin.droppedCount)
    line.integer("queue", plugin.queueDepth)
    line.integer("queueHighWater", plugin.queueHighWater)
    line.integer("queueLimit", plugin.queueLimit)
    line.integer("batched", plugin.batchedCount > 0 ? plugin.batchedCount : nil)
    line.decimal("successAge", plugin.lastSuccessAt.map { now.seconds(since: $0) }, places: 1)
    line.string("lastError", plugin.lastError.map { "\($0)" })
    line.decimal("blockedAge", plugin.blockedSince.map { now.seconds(since: $0) }, places: 1)
    line.decimal("errorAge", plugin.lastErrorAt.map { now.seconds(since: $0) }, places: 1)
  }

  private func append(_ path: NetworkPath, to line: inout JSONLine) {
    line.beginObject("path")
    line.string("status", path.status.rawValue)
    line.string("reason", path.reason?.rawValue)
    line.endObject()
  }

  private func append(
    _ weather: WeatherStanding?, to line: inout JSONLine, _ now: MonotonicTime?
  ) {
    line.beginObject("weather")
    defer { line.endObject() }
    guard let weather, let now else { return line.boolean("isOff", true) }
    line.string("provider", weather.provider)
    line.decimal("answerAge", weather.answeredAt.map { now.seconds(since: $0) }, places: 1)
    line.string("lastError", weather.lastError)
    line.decimal("errorAge", weather.failedAt.map { now.seconds(since: $0) }, places: 1)
    line.decimal("retryAfter", weather.retryAt.map { max($0.seconds(since: now), 0) }, places: 1)
    line.string("held", weather.heldBy)
  }

  /// How it stands in one line, for the service manager's status.
  func summary(now: MonotonicTime) -> String {
    var parts: [String] = []
    switch source.state {
    case .running:
      if let at = source.lastFixAt {
        // Everybody can read this line, and a shorter silence would tell of a tunnel.
        let isSilent = now.seconds(since: at) >= ReducedAccuracy.minimumSeconds
        parts.append(isSilent ? "no fix for a quarter of an hour or more" : "fixes come")
      } else {
        parts.append(
          source.situation.notices.first
            ?? (source.situation.hadReceiver ? "no fix yet" : "no receiver yet"))
      }
    // Why stands in the log: everybody can read this line, and an error may hold a place.
    case .waiting: parts.append("source failed, tried again soon")
    // A source is never blocked: what it is inside of is cancelled, or the watchdog's affair.
    case .failed, .stopped, .blocked: parts.append("no source")
    }
    if let path, path.status != .satisfied {
      parts.append("no network" + (path.reason.map { " (\($0.rawValue))" } ?? ""))
    }
    for plugin in plugins where [.failed, .waiting, .blocked].contains(plugin.state) {
      parts.append("\(plugin.role.rawValue) \(plugin.name) \(plugin.state.rawValue)")
    }
    if let ownUse { parts.append(ownUse.summary) }
    if !configurationErrors.isEmpty {
      parts.append("configuration broken, the one before is in force")
    }
    if stateFault != nil { parts.append("not all state can be kept") }
    return parts.joined(separator: "; ")
  }
}

extension JSONLine {
  /// A count that never goes down.
  fileprivate mutating func count(_ key: StaticString, _ value: UInt64) {
    integer(key, Int(clamping: value))
  }

  /// Texts in their order.
  fileprivate mutating func array(_ key: StaticString, _ values: [String]) {
    beginArray(key)
    for value in values { element(value) }
    endArray()
  }
}
