// SPDX-License-Identifier: Apache-2.0

import Pipeline
import Positioning

@testable import Daemon

extension FaultChecks {
  func sinks(
    _ report: DaemonReport, _ fixAge: Double, _ now: MonotonicTime
  ) -> String? {
    for plugin in report.plugins where plugin.role == .sink {
      guard let fault = Self.plugins.first(where: { $0.value.contains(plugin.name) })?.key else {
        // Those that no fault concerns.
        if plugin.state != .running || plugin.queueDepth > 0 || plugin.errorCount > 0 {
          return "nothing concerns \(plugin.name), and it is \(plugin)"
        }
        continue
      }
      // A track has a point a minute, and a page that was begun has room on a full disk as well.
      let slack = plugin.name == FaultBoard.track ? 62 : 2
      let page = fault != .diskFull ? 0 : plugin.name == FaultBoard.track ? 3600 : 40
      if let what = trouble(plugin, fault, slack + page, fixAge, now)
        ?? recovery(plugin, fault, slack, fixAge, now)
      {
        return what
      }
    }
    return nil
  }

  private func trouble(
    _ plugin: PluginStatus, _ fault: Fault, _ slack: Int, _ fixAge: Double, _ now: MonotonicTime
  ) -> String? {
    let delay = slack + (fault == .sinkBlocked ? Self.overdueSeconds : 0)
    // Something must have been there to write, all the time.
    guard let on = on(fault), on > delay + Self.restartSeconds || isAllWell(fault, on, delay)
    else { return nil }
    let text =
      fault == .diskFull ? "No space" : fault == .sinkBlocked ? "longer than" : "exit code 3"
    if plugin.lastError?.description.contains(text) != true {
      return "\(fault) for \(on) s, and \(plugin.name) says \(String(describing: plugin.lastError))"
    }
    let isFresh = restartedAt[plugin.name].map { second - $0 <= delay } ?? false
    if plugin.state == .running, !isFresh, fixAge < 1, availableSeconds > delay {
      return "\(fault) for \(on) s, and \(plugin.name) is said to run: \(plugin)"
    }
    return nil
  }

  /// Whether the sink was well when the fault began, and had something to write ever since.
  private func isAllWell(_ fault: Fault, _ on: Int, _ delay: Int) -> Bool {
    let rested = (gaps[fault] ?? .max) > Self.restartSeconds + 70
    return rested && on > delay && availableSeconds > on
  }

  private func recovery(
    _ plugin: PluginStatus, _ fault: Fault, _ slack: Int, _ fixAge: Double, _ now: MonotonicTime
  ) -> String? {
    let delay = Self.restartSeconds + slack + (fault == .sinkBlocked ? Self.overdueSeconds : 0)
    guard let off = off(fault), off > delay, availableSeconds > slack + 1 else { return nil }
    if plugin.state != .running {
      return "\(fault) is over for \(off) s, and \(plugin.name) is \(plugin)"
    }
    let age = plugin.lastSuccessAt.map { now.seconds(since: $0) } ?? .infinity
    guard age > Double(slack + 1) else { return nil }
    return "\(fault) is over for \(off) s, and \(plugin.name) last wrote \(age) s ago"
  }
}
