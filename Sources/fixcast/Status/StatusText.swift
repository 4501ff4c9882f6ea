// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import LocationServices
import Plugins
internal import Positioning
import Receivers

/// The output of `fixcast status` in lines that fit a narrow terminal.
struct StatusText {
  /// The maximum line length, unless a single word is longer.
  static let columns = 80
  private static let labelColumns = 15

  private(set) var lines: [String] = []

  /// The output without a daemon.
  static var cooperative: [String] {
    var text = StatusText()
    text.add("mode", AuthMode.cooperative.text)
    return text.lines
  }

  private init() {}

  /// Formats the daemon's status; `client` is the client with its user's name.
  init(
    _ status: DaemonStatus, client: String? = nil, predicted: PredictedVerdict? = nil,
    ruleErrors: [String] = []
  ) {
    add("mode", AuthMode.enforced.text)
    add("you are", client ?? status.client)
    if let predicted, !predicted.needsOperator {
      add("you may know", "\(Self.text(predicted.verdict.authorization)) on your first request")
      add("", "by \(predicted.verdict.origin)")
    } else {
      add("you may know", Self.text(status.authorization.authorization))
      if status.authorization.isDeniedGlobally {
        add("", "location is switched off; switch it on with: fixcast auth reset everyone")
      } else if !status.authorization.authorization.status.isAuthorized {
        if let advice = status.authorization.advice { add("", advice) }
        for error in ruleErrors { add("", "by \(error)") }
      }
    }
    if status.authorization.isPending {
      add("waiting", "for an operator; see fixcast auth pending")
    }
    add("connections", "\(status.connectionCount), \(status.refusedCount) refused")
    guard !status.daemon.isEmpty else { return }
    guard let overview = DaemonOverview(json: status.daemon) else {
      add("daemon", "reports in a format that this version cannot read; try --json")
      return
    }
    add(overview)
  }

  private static func text(_ authorization: Authorization) -> String {
    guard authorization.status.isAuthorized else { return "\(authorization.status)" }
    let accuracy =
      authorization.accuracy == .fullAccuracy ? "full accuracy" : "reduced accuracy"
    return "\(authorization.status), \(accuracy)"
  }

  private mutating func add(_ overview: DaemonOverview) {
    add(
      "daemon",
      [
        overview.release.map { "fixcast \($0)" },
        overview.uptimeSeconds.map { "up for \(Self.duration($0))" },
      ])
    if let source = overview.source { add(source) }
    if let path = overview.path {
      add("path", (path.status ?? "unknown") + (path.reason.map { ": \($0)" } ?? ""))
    }
    add(
      "locations",
      [overview.locations.map { "\($0)" }, overview.held.map { "\($0) held by gates" }])
    let lookups = overview.lookups
    add(
      "lookups",
      [
        lookups?.asked.map { "\($0) started" }, lookups?.answered.map { "\($0) answered" },
        lookups?.failed.map { "\($0) failed" },
      ])
    for (label, text) in overview.sinks?.rows ?? [] { add(label, text) }
    if let fault = overview.stateFault { add("state", fault) }
    if let error = overview.clock?.error { add("clock", "\(error)") }
    if let weather = overview.weather { add(weather) }
    for server in overview.servers ?? [] { add(server) }
    if let lost = overview.lostLogLines, lost > 0 { add("log", "\(lost) lines lost") }
    if let lost = overview.lostAuditLines, lost > 0 {
      add("log", "\(lost) entries missing from uses.jsonl, the log of who used the location")
    }
    if let configuration = overview.configuration { add(configuration) }
    addPlugins(overview.plugins ?? [])
  }

  private mutating func add(_ source: DaemonOverview.Part) {
    let name = source.name.flatMap { $0.isEmpty ? nil : $0 }
    add(
      "source",
      [
        [name, source.state].compactMap { $0 }.joined(separator: " "),
        source.fixAgeSeconds.map { "fix \(Self.duration($0)) old" }
          ?? (source.byteCount == nil || source.replayed == true ? nil : "no fix yet"),
        source.replayed == true ? "recorded" : nil,
        source.unchecked == true ? "without a checksum" : nil,
      ].compactMap { $0 })
    if source.zeroPosition == true { add("", ZeroPosition.text) }
    if let received = source.received { add("received", received.text) }
    for message in source.messages ?? [] {
      guard let text = message.message.map({ "\($0)" }) else { continue }
      let age = message.age.map { ", \(Self.duration($0)) ago" } ?? ""
      add("receiver", [message.source, text].compactMap(\.self).joined(separator: ": ") + age)
    }
    let noFix = source.noFix?.explanation
    if let noFix { add("", "\(noFix)") }
    // The explanation says more than the notice about the same source.
    let prefix = noFix?.source.map { "\($0): " }
    for notice in source.notices ?? [] where prefix.map({ !notice.hasPrefix($0) }) ?? true {
      add("", notice)
    }
    // The last error of a running source is obsolete.
    if source.state != "running", noFix == nil, let error = source.lastError,
      !(source.notices ?? []).contains(where: error.hasSuffix)
    {
      add("", "last error: \(error)")
    }
  }

  private mutating func add(_ server: DaemonOverview.Server) {
    let listening = server.listening ?? []
    let failures = server.failures ?? []
    let label = "\(server.name ?? "unnamed") server"
    guard !(listening.isEmpty && failures.isEmpty) else { return add(label, "off") }
    add(
      label,
      [
        listening.isEmpty ? "not listening" : listening.joined(separator: " "),
        server.state == "failed"
          ? server.stateAgeSeconds.map { "failed since \(Self.duration($0)) ago" } : nil,
        server.clients.map { "\($0) \($0 == 1 ? "client" : "clients")" },
        server.refused.flatMap { $0 > 0 ? "\($0) refused" : nil },
        server.dropped.flatMap { $0 > 0 ? "\($0) dropped" : nil },
      ])
    for failure in failures { add("", failure) }
  }

  /// Adds the result of the last lookup and the time of the next one.
  private mutating func add(_ weather: DaemonOverview.Weather) {
    guard weather.isOff != true else { return add("weather", "off") }
    let answer = weather.answerAgeSeconds.map {
      "\(weather.provider ?? "a provider") answered \(Self.duration($0)) ago"
    }
    add("weather", answer ?? (weather.lastError == nil ? "no lookup yet" : "no answer yet"))
    if let error = weather.lastError {
      let age = weather.errorAgeSeconds.map { ", \(Self.duration($0)) ago" } ?? ""
      add("", "last error\(age): \(error)")
    }
    if let held = weather.held {
      add("", "no lookups: \(held)")
    } else if let seconds = weather.retryAfterSeconds {
      // A lookup also needs a position, so time alone does not trigger it.
      let trigger = "with the next fix"
      add(
        "",
        seconds > 0 ? "retry \(trigger) after \(Self.duration(seconds))" : "retry \(trigger)")
    }
  }

  private mutating func add(_ configuration: DaemonOverview.Configuration) {
    guard configuration.files != nil || configuration.isBroken else { return }
    let age = configuration.ageSeconds.map { "read \(Self.duration($0)) ago" }
    add(
      "configuration",
      configuration.isBroken ? "invalid; previous configuration still active" : age ?? "")
    let files = configuration.files.map { $0.isEmpty ? ["no file: defaults"] : $0 } ?? []
    // Paths are long, so these lines are not indented to the text column.
    let errors = (configuration.wrong ?? []) + (configuration.secretErrors ?? [])
    for line in files + errors { add(wrapped: line, indent: 2, first: "  ") }
  }

  private mutating func addPlugins(_ plugins: [DaemonOverview.Part]) {
    guard !plugins.isEmpty else { return }
    lines.append("")
    var table = TextTable()
    table.add(["PLUGIN", "STATE", "IN", "OUT", "DROPPED", "ERRORS", "QUEUE", "OLDEST"])
    let rows = plugins.map { plugin in
      [
        plugin.title, Self.state(plugin), Self.count(plugin.inCount), Self.count(plugin.outCount),
        Self.count(plugin.droppedCount), Self.count(plugin.errorCount),
        Self.count(plugin.waitingCount),
        plugin.oldestAgeSeconds.flatMap {
          (plugin.waitingCount ?? 0) > 0 ? Self.duration($0) : nil
        } ?? "-",
      ]
    }
    for row in rows { table.add(row) }
    for (index, line) in table.lines.enumerated() {
      lines.append(line)
      guard index > 0 else { continue }
      let plugin = plugins[index - 1]
      if let trouble = plugin.trouble { add(wrapped: trouble, indent: 2, first: "  ") }
      guard let error = plugin.lastError, error != plugin.reason else { continue }
      let age = plugin.errorAgeSeconds.map { "\(Self.duration($0)) ago: " } ?? ""
      add(wrapped: age + error, indent: 2, first: "  ")
    }
  }

  private static func state(_ plugin: DaemonOverview.Part) -> String {
    let age = plugin.blockedAgeSeconds.map { " for \(duration($0))" } ?? ""
    return (plugin.state?.onOneLine ?? "-") + age
  }

  private static func count(_ value: Int?) -> String { value.map { "\($0)" } ?? "-" }

  /// Formats a duration, such as `0.3 s` or `2h5m`.
  static func duration(_ seconds: Double) -> String {
    seconds < 10
      ? "\(Text.fixed(seconds, 1)) s" : DurationText.text(Int64(min(seconds, 1e12)))
  }

  /// Adds a line with the known parts, separated by commas; adds no line if all parts are `nil`.
  private mutating func add(_ label: String, _ parts: [String?]) {
    let known = parts.compactMap { $0 }
    if !known.isEmpty { add(label, known.joined(separator: ", ")) }
  }

  private mutating func add(_ label: String, _ text: String) {
    let padded = Text.padded(label, Self.labelColumns)
    add(wrapped: text, indent: Self.labelColumns, first: padded)
  }

  private mutating func add(wrapped text: String, indent: Int, first: String) {
    var line = first
    var hasWord = false
    for word in text.onOneLine.split(separator: " ") {
      // Breaks lines only at spaces, so that a path can be copied.
      if hasWord, Text.columns(line) + Text.columns(String(word)) >= Self.columns {
        lines.append(line)
        (line, hasWord) = (String(repeating: " ", count: indent), false)
      }
      line += (hasWord ? " " : "") + word
      hasWord = true
    }
    lines.append(line)
  }
}
