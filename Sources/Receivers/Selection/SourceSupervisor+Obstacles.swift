// SPDX-License-Identifier: Apache-2.0

import Positioning

/// The state for reporting the reasons for missing fixes.
struct SourceObstacle: Sendable {
  /// The time since which no source is chosen, or the time of the last new receiver if later.
  ///
  /// `nil` while a source is chosen.
  var withoutSourceSince: MonotonicTime?
  /// The last reported text.
  var lastReported: String?
}

/// Reasons for missing fixes: available for the status, and reported once if they persist.
extension SourceSupervisor {
  /// The reasons why sources deliver no fix, one line each, with the remedy.
  var notices: [String] {
    let ordered = members.values.sorted { $0.name < $1.name }
    var notices = ordered.compactMap { member -> String? in
      if case .reservedForGPSD = member.phase { return gpsdNotice(of: member) }
      if member.name == gpsd.memberName, !member.isNamed { return nil }
      return renumberedText(of: member) ?? member.problem
        ?? (member.isUnvalidated ? missingFixText(of: member) : nil)
    }
    notices += candidates.values.sorted { $0.name < $1.name }.map {
      "\($0.devnode) may be a receiver; to open it, specify \($0.consent(among: present.all))"
    }
    if let refusal { notices.append(refusal) }
    // Without automatic discovery, a missing udevd is not the reason for missing fixes.
    if autodetects, let discoveryNotice { notices.append(discoveryNotice) }
    return notices
  }

  /// Returns that the receiver of a named port is plugged in again and has another devnode.
  private func renumberedText(of member: SourceMember) -> String? {
    guard let receiver = member.unpluggedName.flatMap(present.receiver) else { return nil }
    let path = receiver.stablePath(among: present.all)
    // Without a link, any name may change again.
    let advice = path == receiver.devnode ? "name" : "name it by a link that does not change:"
    return "the receiver that was \(member.plan.name) is now \(receiver.devnode);"
      + " \(advice) \(path)"
  }

  /// The notice about refused sources.
  var refusal: String? {
    guard refusedCount > 0 else { return nil }
    return "\(refusedCount) more sources are not read; the limit is \(Self.memberLimit);"
      + " unplug devices, or specify the sources to read"
  }

  /// The time at which ``reportObstacle(at:)`` may have something new to report.
  var obstacleDeadline: MonotonicTime? {
    guard selector.chosen == nil, !members.isEmpty else { return nil }
    let hasPersistent = members.values.contains { persistentObstacle(of: $0) != nil }
    let persistent = hasPersistent ? obstacle.withoutSourceSince : nil
    let silent = members.values.filter(lacksFix).compactMap(\.run?.startedAt)
    let lasting = ([persistent].compactMap { $0 } + silent)
      .map { $0.advanced(byNanoseconds: Self.silenceNanoseconds) }
    return (lasting + [gpsdSilenceDeadline].compactMap { $0 }).filter { $0 > tickedAt }.min()
  }

  /// Reports the reasons for missing fixes after some time, and again only if the reasons change.
  mutating func reportObstacle(at now: MonotonicTime) -> [Action] {
    guard selector.chosen == nil else {
      obstacle = SourceObstacle()
      return []
    }
    let since = obstacle.withoutSourceSince ?? now
    obstacle.withoutSourceSince = since
    let hasLasted = now >= since.advanced(byNanoseconds: Self.silenceNanoseconds)
    let texts = members.values.sorted { $0.name < $1.name }.compactMap { member in
      (hasLasted ? persistentObstacle(of: member) : nil) ?? silence(of: member, at: now)
    }
    let text = texts.joined(separator: "; ")
    guard !text.isEmpty, text != obstacle.lastReported else { return [] }
    obstacle.lastReported = text
    return [.deliver(.lost(SourceLoss(.silent, detail: text, at: now)))]
  }

  /// Returns a persistent problem of a port; `nil` without automatic discovery.
  ///
  /// Without automatic discovery, `announce` reports the failures.
  private func persistentObstacle(of member: SourceMember) -> String? {
    guard autodetects, case .serial = member.plan else { return nil }
    if case .reservedForGPSD = member.phase { return gpsdNotice(of: member) }
    return member.problem
  }

  private func silence(of member: SourceMember, at now: MonotonicTime) -> String? {
    guard let run = member.run,
      now >= run.startedAt.advanced(byNanoseconds: Self.silenceNanoseconds)
    else { return nil }
    return missingFixText(of: member)
  }

  /// Returns why an open port has not delivered a fix, with the remedy; `nil` after the first fix.
  ///
  /// The text contains no counts, since a changed text is reported again.
  private func missingFixText(of member: SourceMember) -> String? {
    guard lacksFix(member), let run = member.run else { return nil }
    let name = member.plan.name
    if let refused = run.counters.firstRefused {
      return run.counters.refusedUncheckedSentences > 0
        ? "\(name): receiving sentences without checksums and with refused content (\(refused));"
          + " correct the receiver's configuration, or update its firmware"
        : "\(name): receiving sentences with right checksums and refused content (\(refused));"
          + " correct the receiver's configuration, or update its firmware"
    }
    if run.counters.sentences > 0 {
      return "\(name): receiving NMEA without positions;"
        + " configure the receiver to send GGA, RMC or GLL"
    }
    if member.receiver?.role == .modemPort {
      return "\(name): receiving no NMEA from the modem;"
        + " enable its GPS: mmcli -m any --location-enable-gps-unmanaged"
    }
    if member.isUnvalidated {
      return "\(name): no valid NMEA yet, trying all baud rates;"
        + " check that a receiver is connected and switched on"
    }
    return switch run.input {
    case .none: "\(name): receiving no data; check that the receiver is switched on"
    case .text:
      "\(name): receiving text without NMEA, such as from a serial console or an Arduino;"
        + " use another port, or see: fixcast doctor"
    case .damaged:
      "\(name): receiving NMEA with wrong checksums and no right one;"
        + " check the cable and its ground wire"
    case .mostlyUnchecked:
      "\(name): receiving NMEA mostly without checksums; if the receiver sends none, accept them:"
        + " \(NoFixExplanation.checksumRemedy)"
    case .unchecked:
      "\(name): receiving NMEA without checksums; if the receiver sends none, accept them:"
        + " \(NoFixExplanation.checksumRemedy)"
    case .unreadable, .refusedUnchecked, .refused, .nmea: unreadableText(of: member)
    }
  }

  private func unreadableText(of member: SourceMember) -> String {
    guard case .serial(_, let baud?, _, _) = member.plan else {
      return "\(member.plan.name): receiving data but no valid NMEA, trying all baud rates;"
        + " for a binary protocol, use gpsd as the source"
    }
    return "\(member.plan.name): receiving data but no valid NMEA at \(baud) baud;"
      + " remove the baud rate to try all"
  }

  /// The runs of ports that have delivered no position; ``note(_:of:)`` needs their counters.
  var runsWithoutPosition: [Int] {
    members.values.compactMap { member in
      guard case .serial = member.plan, member.problem == nil, let run = member.run,
        run.lastPositionAt == nil
      else { return nil }
      return run.number
    }
  }

  /// Stores the current counters of a run.
  mutating func note(_ counters: NMEACounters, of run: Int) {
    guard let name = owners[run], var updated = members[name]?.run else { return }
    updated.counters = counters
    members[name]?.phase = .running(updated)
  }

  /// Whether a port is open and has delivered no fix.
  private func lacksFix(_ member: SourceMember) -> Bool {
    guard case .serial = member.plan, let run = member.run else { return false }
    return !run.hasDelivered && member.problem == nil
  }

  // MARK: Receivers reserved for gpsd

  /// The time after which missing reports of a responsive gpsd count as a problem.
  ///
  /// `nil` if a source is chosen, gpsd does not respond, or no receiver is reserved for gpsd.
  private var gpsdSilenceDeadline: MonotonicTime? {
    guard selector.chosen == nil, case .up(let since) = gpsd.answer,
      members.values.contains(where: { $0.phase == .reservedForGPSD })
    else { return nil }
    return max(since, obstacle.withoutSourceSince ?? since)
      .advanced(byNanoseconds: Self.silenceNanoseconds)
  }

  private func gpsdNotice(of member: SourceMember) -> String? {
    guard gpsd.isUp else { return GPSDConfiguration.absence(of: member.plan.name) }
    guard let deadline = gpsdSilenceDeadline, tickedAt >= deadline else { return nil }
    return GPSDConfiguration.silence(of: member.plan.name)
  }
}

extension SourceMember {
  /// Whether this is a discovered port whose fixes are used only after two valid sentences.
  fileprivate var isUnvalidated: Bool { requiresValidation && !isNamed }
}

extension GPSDConfiguration {
  /// The command that starts gpsd.
  public static let startCommand = "sudo systemctl start gpsd.socket gpsd"

  /// Returns the notice, with the remedy, that a receiver is assigned to gpsd but gpsd is not
  /// running.
  public static func absence(of devnode: String) -> String {
    "\(devnode) is assigned to gpsd in \(usualPath), but gpsd is not running;"
      + " start gpsd: \(startCommand);"
      + " or read the receiver without gpsd: --source serial:\(devnode)"
  }

  /// Returns the notice, with the remedy, that gpsd sends no position reports of a receiver.
  static func silence(of devnode: String) -> String {
    let seconds = Double(SourceSupervisor.silenceNanoseconds) / 1e9
    return "\(devnode) is left to gpsd, which has sent no position report for \(seconds) s;"
      + " check its output: gpspipe -w, and its log: systemctl status gpsd;"
      + " if gpsd does not have the receiver: sudo gpsdctl add \(devnode)"
  }
}
