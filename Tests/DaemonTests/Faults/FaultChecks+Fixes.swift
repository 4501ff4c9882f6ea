// SPDX-License-Identifier: Apache-2.0

import Pipeline
import Positioning
import Receivers

@testable import Daemon

// Checks of the source and of the event counts.
extension FaultChecks {
  /// The time in seconds for which at least one source must have been able to deliver fixes.
  var availableSeconds: Int {
    let port = secondsCleared(.receiverUnplugged).map { $0 - Self.portSeconds } ?? -1
    let gpsd = secondsCleared(.gpsdKilled).map { $0 - Self.gpsdSeconds } ?? -1
    return max(port, gpsd)
  }

  func fixViolation(_ report: DaemonReport, _ fixAge: Double, _ now: MonotonicTime) -> String? {
    let source = report.source
    if availableSeconds > 0, fixAge > Double(Self.takeoverSeconds) {
      return "no fix for \(fixAge) s, though a source was available for \(availableSeconds) s"
    }
    if let age = source.lastFixAt.map({ now.seconds(since: $0) }), abs(age - fixAge) > 0.01 {
      return "the status reports a fix age of \(age) s instead of \(fixAge) s"
    }
    // `availableSeconds` excludes a source that was lost just after its last fix.
    if availableSeconds > 0, fixAge < 1, source.state != .running || source.lastFixAt == nil {
      return "fixes arrive, but the source state is \(source.state)"
    }
    if let unplugged = secondsActive(.receiverUnplugged), let killed = secondsActive(.gpsdKilled),
      min(unplugged, killed) >= Self.silenceSeconds
    {
      if source.state != .waiting { return "no source, but the source state is \(source.state)" }
      if source.lastError == nil { return "no source, but no error is reported" }
      if !report.summary(now: now).contains("source failed") {
        return "no source, but the summary is: \(report.summary(now: now))"
      }
    }
    let notices = source.diagnosis.notices
    return noticeViolation(FaultFixture.devnode, .receiverUnplugged, Self.portSeconds, notices)
      ?? noticeViolation("gpsd:", .gpsdKilled, Self.gpsdSeconds, notices)
  }

  /// Checks that the notices name a source if it has failed, and only then.
  private func noticeViolation(_ name: String, _ fault: Fault, _ bound: Int, _ notices: [String]) -> String? {
    let isNamed = notices.contains { $0.hasPrefix(name) }
    if let active = secondsActive(fault), active >= 1, !isNamed {
      return "\(fault), but no notice for \(name)"
    }
    if let cleared = secondsCleared(fault), cleared > bound, isNamed {
      return "\(fault) has ended, but the notices are: \(notices)"
    }
    return nil
  }
}

extension FaultChecks {
  /// Checks that every event is counted as delivered, dropped, queued, in progress, failed, or of a
  /// kind that the plugin does not receive.
  func countViolation(_ report: DaemonReport, _ witness: WitnessSink.Count) -> String? {
    for plugin in report.plugins {
      if plugin.queueDepth > plugin.queueLimit || plugin.queueHighWater > plugin.queueLimit {
        return "\(plugin.name) has queued \(plugin.queueHighWater) of \(plugin.queueLimit) events"
      }
      guard plugin.role == .sink else { continue }
      // A plugin gets the error events of all plugins except its own.
      let countedEvents =
        plugin.outCount + plugin.droppedCount + UInt64(plugin.queueDepth)
        + plugin.errorCount + plugin.skippedCount
      let missing = Int64(witness.events) - Int64(countedEvents)
      let mayHold = plugin.name == FaultFixture.blocked && secondsActive(.sinkBlocked) != nil
      guard missing == 0 || (missing == 1 && mayHold) else {
        return "\(missing) of \(witness.events) events of \(plugin.name) are not counted: \(plugin)"
      }
    }
    if witness.locations != report.counters.locations {
      return "\(report.counters.locations) locations counted, but \(witness.locations) arrived"
    }
    return nil
  }
}
