// SPDX-License-Identifier: Apache-2.0

internal import DaemonServer
internal import LocationServices
internal import PathMonitorClient
internal import Pipeline
internal import Positioning
internal import Receivers

/// The daemon's status, for users and monitoring programs.
///
/// Error texts may reveal where the board is, for example in the URL of a weather request. Only
/// root and clients with full accuracy get the whole report. All other clients get an excerpt.
struct DaemonReport: Sendable {
  var version = ""
  /// The start time by the board's wall clock.
  ///
  /// The clock may have been corrected since the start.
  var startedAt: UTCTime?
  var uptimeSeconds: Double = 0
  /// The authorization of the daemon's own sinks; `nil` until the daemon runs.
  var authorization: AuthorizationStatus?
  var source = DaemonSources.Status()
  var plugins: [PluginStatus] = []
  var counters = PipelineCounters()
  /// The status of the weather lookups; `nil` while weather is disabled.
  var weather: WeatherLookupStatus?
  var path: NetworkPath?
  /// The limit that the daemon's own authorization sets for its sinks; `nil` for no limit.
  var authorizationLimit: DaemonAuthorizationStatus?
  /// The files of the active configuration.
  var configurationFiles: [String] = []
  /// The time when the active configuration was loaded.
  var loadedAt: MonotonicTime?
  /// The name of the board.
  var hostName: String?
  /// The errors of the last reload, one per line; empty if it succeeded.
  var configurationErrors: [String] = []
  /// The errors of the active configuration's files with secrets, one per line.
  var secretErrors: [String] = []
  /// The reason why state cannot be saved; `nil` if state can be saved.
  var stateFault: String?
  /// The error of the system clock; `nil` if it is not known to be wrong.
  var clockError: SystemClockError?
  /// The servers for clients of gpsd, of NMEA 0183 and of the metrics, by name.
  var feedServers: [(name: String, status: FeedServer.Status)] = []
  var lostLogLines: UInt64 = 0
  /// The number of lines that could not be written to the audit log.
  var lostAuditLines: UInt64 = 0

  /// The whole report and its excerpt.
  func status(now: MonotonicTime) -> ServerStatus {
    ServerStatus(forEverybody: excerpt, forFullAccuracy: json(now: now))
  }

  /// The part of the report that every client may read, as an object without a newline.
  ///
  /// Contains neither counters nor ages, because counters and ages reveal the board's movement.
  /// Contains no names of ports, plugins or files.
  private var excerpt: [UInt8] {
    var line = JSONLine(reservingCapacity: 256)
    line.beginObject()
    line.string("release", version)
    line.string("host", hostName)
    line.string("authorization", authorization.flatMap { $0.isRefused ? "\($0)" : nil })
    line.beginObject("source")
    line.string("state", source.state.rawValue)
    line.endObject()
    // Report disabled weather to all users, because their commands must then not request weather.
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

  /// The whole report, for root and clients with full accuracy.
  func json(now: MonotonicTime) -> [UInt8] {
    var line = JSONLine(reservingCapacity: 2048)
    line.beginObject()
    line.string("release", version)
    line.string("host", hostName)
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
    authorizationLimit?.append(to: &line)
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
    if !secretErrors.isEmpty { line.array("secretErrors", secretErrors) }
    line.endObject()
    line.string("stateFault", stateFault)
    if let clockError {
      line.beginObject("clock")
      line.decimal("ahead", clockError.aheadSeconds, places: 0)
      line.integer(
        "receiverSeconds", clockError.receiverTime.map { Int(clamping: $0.secondsSince1970) })
      line.string("text", "\(clockError)")
      line.endObject()
    }
    if !feedServers.isEmpty {
      line.beginArray("servers")
      for (name, status) in feedServers { append(status, name, to: &line, now) }
      line.endArray()
    }
    line.count("lostLogLines", lostLogLines)
    line.count("lostAuditLines", lostAuditLines)
    line.endObject()
    line.endLine()
    return Array(line.bytes.dropLast())
  }

  private func append(
    _ source: DaemonSources.Status, to line: inout JSONLine, _ now: MonotonicTime
  ) {
    line.string("name", source.name)
    line.string("state", source.state.rawValue)
    line.count("bytes", source.counters.bytes)
    line.count("sentences", source.counters.sentences)
    line.count("badLines", source.counters.errors)
    append(source.counters.lines, to: &line)
    line.array("notices", source.diagnosis.notices)
    line.count("droppedEvents", source.diagnosis.droppedEventCount)
    line.count("errors", source.errorCount)
    line.count("restarts", source.diagnosis.restartCount)
    let fixAt = source.isReplayed ? source.lastFixRecordedAt : source.lastFixAt
    line.decimal("fixAge", fixAt.map { now.seconds(since: $0) }, places: 1)
    line.boolean("replayed", source.isReplayed ? true : nil)
    line.boolean("unchecked", source.isUnchecked ? true : nil)
    line.boolean(
      "zeroPosition", source.isZeroPosition && source.diagnosis.noFix == nil ? true : nil)
    line.string("lastError", source.lastError)
    if let noFix = source.diagnosis.noFix { append(noFix, to: &line) }
    append(source.diagnosis.messages, to: &line, now)
  }

  private func append(
    _ messages: [ReceiverMessage], to line: inout JSONLine, _ now: MonotonicTime
  ) {
    guard !messages.isEmpty else { return }
    line.beginArray("messages")
    for message in messages {
      line.beginObject()
      line.string("source", message.source)
      line.append(message)
      line.decimal("age", message.receivedAt.map { now.seconds(since: $0) }, places: 0)
      line.string("message", "\(message)")
      line.string("advice", message.advice)
      line.endObject()
    }
    line.endArray()
  }

  private func append(_ lines: ReceivedLines, to line: inout JSONLine) {
    // The sentences of gpsd's receivers are not counted.
    guard lines.bytes > 0 else { return }
    line.beginObject("lines")
    line.count("used", lines[.used])
    line.count("unused", lines[.unused])
    line.count("refused", lines[.refused])
    line.count("wrongChecksum", lines[.wrongChecksum])
    line.count("noChecksum", lines[.noChecksum])
    line.count("cut", lines[.cut])
    line.count("other", lines[.other])
    line.integer(
      "unchecked", lines.uncheckedCount > 0 ? Int(clamping: lines.uncheckedCount) : nil)
    line.string("firstRefused", lines.firstRefused)
    line.string("dataFormat", lines.dataFormat?.rawValue)
    line.string("text", lines.text)
    line.endObject()
  }

  private func append(
    _ server: FeedServer.Status, _ name: String, to line: inout JSONLine, _ now: MonotonicTime
  ) {
    line.beginObject()
    line.string("name", name)
    line.string("state", server.state.rawValue)
    line.decimal("stateAge", server.since.map { now.seconds(since: $0) }, places: 1)
    line.array("listening", server.listening)
    line.array("failures", server.failures)
    line.integer("clients", server.clientCount)
    line.integer("refused", server.refusedCount)
    line.integer("dropped", server.droppedCount)
    line.endObject()
  }

  private func append(_ noFix: NoFixExplanation, to line: inout JSONLine) {
    line.beginObject("noFix")
    line.string("source", noFix.source)
    line.string("input", noFix.input.rawValue)
    line.boolean("reportsEpochs", noFix.reportsEpochs)
    line.decimal("seconds", noFix.seconds, places: 0)
    line.integer("inView", noFix.sky?.inView)
    line.integer("withSignal", noFix.sky?.withSignal)
    line.integer("strong", noFix.sky?.strong)
    line.decimal("strongest", noFix.sky?.strongestDBHz, places: 0)
    if !noFix.triedBauds.isEmpty {
      line.array("triedBauds", noFix.triedBauds.map { "\($0)" })
    }
    line.integer("readableBaud", noFix.readableBaud)
    line.string("firstRefused", noFix.firstRefused)
    if let message = noFix.message {
      line.beginObject("receiver")
      line.append(message)
      line.endObject()
    }
    line.string("text", "\(noFix)")
    line.endObject()
  }

  private func append(
    _ plugin: PluginStatus, to line: inout JSONLine, _ now: MonotonicTime
  ) {
    line.string("role", plugin.role.rawValue)
    line.string("name", plugin.name)
    line.string("state", plugin.state.rawValue)
    line.string("reason", plugin.reason)
    line.decimal("stateAge", plugin.since.map { now.seconds(since: $0) }, places: 1)
    line.boolean("required", plugin.isRequired ? true : nil)
    line.count("errors", plugin.errorCount)
    line.count("restarts", plugin.restartCount)
    line.count("timeouts", plugin.timeoutCount)
    line.count("abandoned", plugin.abandonedCount)
    line.count("in", plugin.inCount)
    line.count("out", plugin.outCount)
    line.count("dropped", plugin.droppedCount)
    line.integer("queue", plugin.queueDepth + plugin.undeliveredCount)
    line.integer("undelivered", plugin.undeliveredCount > 0 ? plugin.undeliveredCount : nil)
    line.decimal("oldestAge", plugin.oldestAt.map { now.seconds(since: $0) }, places: 1)
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
    _ weather: WeatherLookupStatus?, to line: inout JSONLine, _ now: MonotonicTime?
  ) {
    line.beginObject("weather")
    defer { line.endObject() }
    guard let weather, let now else { return line.boolean("isOff", true) }
    line.string("provider", weather.provider)
    line.decimal("answerAge", weather.answeredAt.map { now.seconds(since: $0) }, places: 1)
    line.string("lastError", weather.lastError)
    line.decimal("errorAge", weather.failedAt.map { now.seconds(since: $0) }, places: 1)
    line.decimal("failingFor", weather.failingSince.map { now.seconds(since: $0) }, places: 1)
    line.string("advice", weather.advice)
    line.decimal("retryAfter", weather.retryAt.map { max($0.seconds(since: now), 0) }, places: 1)
    line.string("held", weather.heldBy)
  }

  /// The status in one line for the service manager, which every user can read.
  func summary(now: MonotonicTime) -> String {
    var parts: [String] = []
    switch source.state {
    case .running:
      if let at = source.lastFixAt {
        // Short gaps are not reported: they would reveal, for example, that the board is in a
        // tunnel.
        let isSilent = now.seconds(since: at) >= ReducedAccuracy.minimumSeconds
        parts.append(isSilent ? "no fix for at least 15 minutes" : "receiving fixes")
      } else {
        parts.append(
          source.diagnosis.notices.first
            ?? (source.diagnosis.hadReceiver ? "no fix yet" : "no receiver yet"))
      }
    // Omit the error, because it may reveal the location. The error is in the log.
    case .waiting: parts.append("source failed, retrying")
    // Sources are never `blocked`: a blocking call is cancelled, or the watchdog detects it.
    case .failed, .stopped, .blocked: parts.append("no source")
    }
    if let path, path.status != .satisfied {
      parts.append("no network" + (path.reason.map { " (\($0.rawValue))" } ?? ""))
    }
    for (name, status) in feedServers where status.state == .failed {
      parts.append("\(name) server failed")
    }
    for plugin in plugins where [.failed, .waiting, .blocked].contains(plugin.state) {
      parts.append("\(plugin.role.rawValue) \(plugin.name) \(plugin.state.rawValue)")
    }
    if let authorizationLimit { parts.append(authorizationLimit.summary) }
    if !configurationErrors.isEmpty {
      parts.append("configuration invalid, previous one still active")
    }
    if stateFault != nil { parts.append("cannot save all state") }
    return parts.joined(separator: "; ")
  }
}

extension JSONLine {
  /// Appends the members of a receiver's message.
  fileprivate mutating func append(_ message: ReceiverMessage) {
    string("kind", message.kind.rawValue)
    string("antenna", message.antenna?.rawValue)
    string("text", message.antenna == nil ? message.text : nil)
  }

  /// Appends a counter.
  fileprivate mutating func count(_ key: StaticString, _ value: UInt64) {
    integer(key, Int(clamping: value))
  }

  /// Appends an array of strings.
  fileprivate mutating func array(_ key: StaticString, _ values: [String]) {
    beginArray(key)
    for value in values { element(value) }
    endArray()
  }
}

extension DaemonSources {
  /// The state of the sources, for the status.
  struct Status: Sendable {
    /// The combined name of all sources.
    var name = ""
    var state = PluginStatus.State.stopped
    var errorCount: UInt64 = 0
    var lastError: String?
    /// The time of the last fix with a position.
    var lastFixAt: MonotonicTime?
    /// Whether the last fix with a position is from a recording.
    var isReplayed = false
    /// Whether the last fix with a position is from sentences without a checksum.
    var isUnchecked = false
    /// Whether the last position is exactly 0° N, 0° E.
    var isZeroPosition = false
    /// The recorded time of the last fix with a position.
    var lastFixRecordedAt: MonotonicTime?
    var counters = NMEACounters()
    var diagnosis = SourceDiagnosis()
  }
}
