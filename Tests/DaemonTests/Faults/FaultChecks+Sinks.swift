// SPDX-License-Identifier: Apache-2.0

import Pipeline
import Positioning

@testable import Daemon

extension FaultChecks {
  func sinkViolation(_ report: DaemonReport, _ fixAge: Double, _ now: MonotonicTime) -> String? {
    for plugin in report.plugins where plugin.role == .sink {
      guard let fault = Self.affectedSinks.first(where: { $0.value.contains(plugin.name) })?.key
      else {
        // No fault may affect these sinks.
        if plugin.state != .running || plugin.queueDepth > 0 || plugin.errorCount > 0 {
          return "no fault affects \(plugin.name), but its state is \(plugin)"
        }
        continue
      }
      // The track sink writes a point once a minute. On a full disk, a page that is partly used can
      // still be filled.
      let slackSeconds = plugin.name == FaultFixture.track ? 62 : 2
      let pageSeconds = fault != .diskFull ? 0 : plugin.name == FaultFixture.track ? 3600 : 40
      if let violation = reportingViolation(plugin, fault, slackSeconds + pageSeconds, fixAge, now)
        ?? recoveryViolation(plugin, fault, slackSeconds, fixAge, now)
      {
        return violation
      }
    }
    return nil
  }

  /// Checks that a fault that affects a sink is reported in time.
  private func reportingViolation(
    _ plugin: PluginStatus, _ fault: Fault, _ slack: Int, _ fixAge: Double, _ now: MonotonicTime
  ) -> String? {
    let delay = slack + (fault == .sinkBlocked ? Self.overdueSeconds : 0)
    // Check only if the sink had something to write during the whole fault.
    guard let active = secondsActive(fault),
      active > delay + Self.restartSeconds || wasRunning(fault, active, delay)
    else { return nil }
    let text =
      fault == .diskFull ? "No space" : fault == .sinkBlocked ? "longer than" : "exit code 3"
    if plugin.lastError?.description.contains(text) != true {
      let error = String(describing: plugin.lastError)
      return "\(fault) for \(active) s, but the error of \(plugin.name) is \(error)"
    }
    let hasJustRestarted = restartedAt[plugin.name].map { second - $0 <= delay } ?? false
    if plugin.state == .running, !hasJustRestarted, fixAge < 1, availableSeconds > delay {
      return "\(fault) for \(active) s, but \(plugin.name) is running: \(plugin)"
    }
    return nil
  }

  /// Whether the sink was running when the fault began, and has had something to write since.
  private func wasRunning(_ fault: Fault, _ active: Int, _ delay: Int) -> Bool {
    let hadRecovered = (gaps[fault] ?? .max) > Self.restartSeconds + 70
    return hadRecovered && active > delay && availableSeconds > active
  }

  /// Checks that a sink works again in time after the fault.
  private func recoveryViolation(
    _ plugin: PluginStatus, _ fault: Fault, _ slack: Int, _ fixAge: Double, _ now: MonotonicTime
  ) -> String? {
    let delay = Self.restartSeconds + slack + (fault == .sinkBlocked ? Self.overdueSeconds : 0)
    guard let cleared = secondsCleared(fault), cleared > delay, availableSeconds > slack + 1 else {
      return nil
    }
    if plugin.state != .running {
      return "\(fault) ended \(cleared) s ago, but the state of \(plugin.name) is \(plugin)"
    }
    let age = plugin.lastSuccessAt.map { now.seconds(since: $0) } ?? .infinity
    guard age > Double(slack + 1) else { return nil }
    return "\(fault) ended \(cleared) s ago, but \(plugin.name) last wrote \(age) s ago"
  }
}
