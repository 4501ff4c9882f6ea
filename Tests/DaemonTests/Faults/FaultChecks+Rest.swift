// SPDX-License-Identifier: Apache-2.0

import Foundation
import PathMonitorClient
import Pipeline
import Positioning

@testable import Daemon

// Checks of the lookups, the network, the configuration and the status texts.
extension FaultChecks {
  func lookupViolation(_ report: DaemonReport, _ fixAge: Double, _ now: MonotonicTime) -> String? {
    guard let weather = report.plugins.first(where: { $0.name == "weather" }) else {
      return "the weather stage is missing"
    }
    let downSeconds = secondsActive(.providerDown)
    if let downSeconds, downSeconds > Self.lookupSeconds,
      (secondsCleared(.pathLost) ?? 0) > downSeconds, availableSeconds > downSeconds,
      (secondsCleared(.clockJumped) ?? 0) > downSeconds
    {
      let age = weather.lastErrorAt.map { now.seconds(since: $0) } ?? .infinity
      if age > Double(Self.lookupSeconds) {
        return "the provider is down, but no error is reported"
      }
      let success = weather.lastSuccessAt.map { now.seconds(since: $0) } ?? .infinity
      if success < Double(downSeconds) {
        return "the provider is down, but \(weather) reports success"
      }
    }
    let weatherSeconds =
      [secondsCleared(.providerDown), secondsCleared(.pathLost), availableSeconds].map { $0 ?? 0 }
      .min() ?? 0
    if weatherSeconds > Self.lookupSeconds {
      let age = weather.lastSuccessAt.map { now.seconds(since: $0) } ?? .infinity
      if age > Double(Self.lookupSeconds) {
        return
          "weather was available for \(weatherSeconds) s, but the last success was \(age) s ago: "
          + "\(weather)"
      }
    }
    return weather.state == .running ? nil : "the state of the weather stage is \(weather)"
  }

  func otherViolation(_ report: DaemonReport, _ board: FaultFixture) -> String? {
    let isSatisfied = report.path?.status == .satisfied
    if isSatisfied != (secondsActive(.pathLost) == nil) {
      return "the reported path is \(String(describing: report.path))"
    }
    if report.configurationErrors.isEmpty != (secondsActive(.configurationBroken) == nil) {
      return "the configuration's errors are \(report.configurationErrors)"
    }
    if let problem = board.environment.programs.problem { return "the program: \(problem)" }
    if secondsActive(.sinkBlocked) != nil, !board.environment.pipe.isFull {
      return "the pipe is not full"
    }
    let names = report.plugins.map(\.name)
    let expectedNames = [
      "interval", "place", "reachability", "weather", FaultFixture.full, FaultFixture.track,
      FaultFixture.blocked, FaultFixture.crashing, "witness", "journal",
    ]
    return names == expectedNames ? nil : "the plugins are \(names)"
  }

  /// Checks that the summary names all failures, and that the JSON equals the report.
  func textViolation(_ report: DaemonReport, _ now: MonotonicTime) -> String? {
    let summary = report.summary(now: now)
    for plugin in report.plugins where plugin.state == .waiting || plugin.state == .failed {
      let words = "\(plugin.role.rawValue) \(plugin.name) \(plugin.state.rawValue)"
      if !summary.contains(words) { return "\(words), but the summary is: \(summary)" }
    }
    if secondsActive(.pathLost) != nil, !summary.contains("no network") {
      return "summary: \(summary)"
    }
    if secondsActive(.configurationBroken) != nil, !summary.contains("configuration invalid") {
      return "summary: \(summary)"
    }
    guard second.isMultiple(of: 60) else { return nil }
    let json = Data(report.json(now: now))
    guard let status = try? JSONDecoder().decode(StatusExcerpt.self, from: json) else {
      return "the status is not valid JSON: \(String(decoding: json, as: UTF8.self))"
    }
    let expected = StatusExcerpt(report)
    return status == expected ? nil : "the JSON is \(status) instead of \(expected)"
  }
}
