// SPDX-License-Identifier: Apache-2.0

import Pipeline
import Positioning
import Receivers

@testable import Daemon

// The source, and the counts of what came of it.
extension FaultChecks {
  /// For how many seconds a fix must have been to be had.
  var availableSeconds: Int {
    let port = off(.receiverUnplugged).map { $0 - Self.portSeconds } ?? -1
    let gpsd = off(.gpsdKilled).map { $0 - Self.gpsdSeconds } ?? -1
    return max(port, gpsd)
  }

  func fixes(
    _ report: DaemonReport, _ fixAge: Double, _ now: MonotonicTime
  ) -> String? {
    let source = report.source
    if availableSeconds > 0, fixAge > Double(Self.takeoverSeconds) {
      return "no fix for \(fixAge) s, though one could be had for \(availableSeconds) s"
    }
    if let age = source.lastFixAt.map({ now.seconds(since: $0) }), abs(age - fixAge) > 0.01 {
      return "the status says that the fix is \(age) s old, and it is \(fixAge) s"
    }
    // Of one that has just gone the last fix is as young.
    if availableSeconds > 0, fixAge < 1, source.state != .running || source.lastFixAt == nil {
      return "fixes come, and the source is said to be \(source.state)"
    }
    if let unplugged = on(.receiverUnplugged), let killed = on(.gpsdKilled),
      min(unplugged, killed) >= Self.silenceSeconds
    {
      if source.state != .waiting { return "no source, and it is said to be \(source.state)" }
      if source.lastError == nil { return "no source, and no error is told" }
      if !report.summary(now: now).contains("source failed") {
        return "no source, and the summary says: \(report.summary(now: now))"
      }
    }
    let notices = source.situation.notices
    return notice(FaultBoard.devnode, .receiverUnplugged, Self.portSeconds, notices)
      ?? notice("gpsd:", .gpsdKilled, Self.gpsdSeconds, notices)
  }

  /// A source in trouble is named, and one that is not is not.
  private func notice(
    _ name: String, _ fault: Fault, _ bound: Int, _ notices: [String]
  ) -> String? {
    let isTold = notices.contains { $0.hasPrefix(name) }
    if let on = on(fault), on >= 1, !isTold { return "\(fault), and \(name) is not named" }
    if let off = off(fault), off > bound, isTold { return "\(fault) is over: \(notices)" }
    return nil
  }
}

extension FaultChecks {
  /// Nothing vanishes: what everybody was sent is given on, dropped, waiting, in hand, or nothing
  /// that the plugin takes.
  func counts(_ report: DaemonReport, _ witness: WitnessSink.Count) -> String? {
    for plugin in report.plugins {
      if plugin.queueDepth > plugin.queueLimit || plugin.queueHighWater > plugin.queueLimit {
        return "\(plugin.name) has \(plugin.queueHighWater) of \(plugin.queueLimit) waiting"
      }
      guard plugin.role == .sink else { continue }
      // Of its own failures each but itself is told.
      let known =
        plugin.outCount + plugin.droppedCount + UInt64(plugin.queueDepth)
        + plugin.errorCount + plugin.passedOverCount
      let missing = Int64(witness.events) - Int64(known)
      let mayHold = plugin.name == FaultBoard.blocked && on(.sinkBlocked) != nil
      guard missing == 0 || (missing == 1 && mayHold) else {
        return "\(missing) of \(witness.events) events of \(plugin.name) are in no count: \(plugin)"
      }
    }
    if witness.locations != report.counters.locations {
      return "\(report.counters.locations) locations, and \(witness.locations) have arrived"
    }
    return nil
  }
}
