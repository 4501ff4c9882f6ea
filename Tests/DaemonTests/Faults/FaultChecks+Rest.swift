// SPDX-License-Identifier: Apache-2.0

import Foundation
import PathMonitorClient
import Pipeline
import Positioning

@testable import Daemon

// The network, the configuration, and the words for all of it.
extension FaultChecks {
  func lookups(
    _ report: DaemonReport, _ fixAge: Double, _ now: MonotonicTime
  ) -> String? {
    guard let weather = report.plugins.first(where: { $0.name == "weather" }) else {
      return "the weather's stage is gone"
    }
    let down = on(.providerDown)
    if let down, down > Self.lookupSeconds, (off(.pathLost) ?? 0) > down, availableSeconds > down,
      (off(.clockJumped) ?? 0) > down
    {
      let age = weather.lastErrorAt.map { now.seconds(since: $0) } ?? .infinity
      if age > Double(Self.lookupSeconds) { return "the provider is down, and nothing tells it" }
      let success = weather.lastSuccessAt.map { now.seconds(since: $0) } ?? .infinity
      if success < Double(down) { return "the provider is down, and \(weather) tells of success" }
    }
    let well = [off(.providerDown), off(.pathLost), availableSeconds].map { $0 ?? 0 }.min() ?? 0
    if well > Self.lookupSeconds {
      let age = weather.lastSuccessAt.map { now.seconds(since: $0) } ?? .infinity
      if age > Double(Self.lookupSeconds) {
        return "the weather could be had for \(well) s, and the last came \(age) s ago: \(weather)"
      }
    }
    return weather.state == .running ? nil : "the weather's stage is \(weather)"
  }

  func rest(_ report: DaemonReport, _ board: FaultBoard) -> String? {
    let isSatisfied = report.path?.status == .satisfied
    if isSatisfied != (on(.pathLost) == nil) {
      return "the path is said to be \(String(describing: report.path))"
    }
    if report.configurationErrors.isEmpty != (on(.configurationBroken) == nil) {
      return "the configuration's errors are \(report.configurationErrors)"
    }
    if let what = board.world.programs.complaint { return "the program: \(what)" }
    if on(.sinkBlocked) != nil, !board.world.pipe.isFull { return "the pipe is not full" }
    let names = report.plugins.map(\.name)
    let all = [
      "reachability", "interval", "weather", FaultBoard.full, FaultBoard.track, FaultBoard.blocked,
      FaultBoard.crashing, "witness", "journal",
    ]
    return names == all ? nil : "the plugins are \(names)"
  }

  /// What programs read says the same, and the line for people names all that is in trouble.
  func words(_ report: DaemonReport, _ now: MonotonicTime) -> String? {
    let summary = report.summary(now: now)
    for plugin in report.plugins where plugin.state == .waiting || plugin.state == .failed {
      let words = "\(plugin.role.rawValue) \(plugin.name) \(plugin.state.rawValue)"
      if !summary.contains(words) { return "\(words), and the summary says: \(summary)" }
    }
    if on(.pathLost) != nil, !summary.contains("no network") { return "summary: \(summary)" }
    if on(.configurationBroken) != nil, !summary.contains("configuration broken") {
      return "summary: \(summary)"
    }
    guard second.isMultiple(of: 60) else { return nil }
    let json = Data(report.json(now: now))
    guard let status = try? JSONDecoder().decode(StatusExcerpt.self, from: json) else {
      return "the status is no JSON: \(String(decoding: json, as: UTF8.self))"
    }
    let told = StatusExcerpt(report)
    return status == told ? nil : "the JSON says \(status), and it is \(told)"
  }
}
