// SPDX-License-Identifier: Apache-2.0

import Positioning

/// The reason for missing fixes that was reported last.
struct SourceObstacle: Sendable {
  /// The time since which no source has been chosen, or the newest receiver has been plugged in.
  var quietSince: MonotonicTime?
  /// The text that was reported last.
  var told: String?
}

/// Reasons why no fix is delivered: pulled for the status, and reported once when they last.
extension SourceSupervisor {
  /// The reasons why sources deliver no fix, a line each, with the remedy.
  var notices: [String] {
    let ordered = members.values.sorted { $0.name < $1.name }
    var notices = ordered.compactMap { member -> String? in
      if case .leftToGPSD = member.phase { return leftNotice(of: member) }
      if member.name == gpsd.memberName, !member.isNamed { return nil }
      return member.problem ?? (member.isOnTrial ? emptiness(of: member) : nil)
    }
    notices += candidates.values.sorted { $0.name < $1.name }.map {
      "\($0.devnode) may have a receiver behind it, and is opened only when named: \($0.consent)"
    }
    if let refusal { notices.append(refusal) }
    // A missing udev does not matter to those who have named all their ports.
    if autodetects, let discoveryNotice { notices.append(discoveryNotice) }
    return notices
  }

  /// The notice about refused sources.
  var refusal: String? {
    guard refusedCount > 0 else { return nil }
    return "\(refusedCount) more sources are not read: \(Self.memberLimit) are the most."
      + " Unplug others, or name the ones to read"
  }

  /// The time at which ``tellObstacle(at:)`` may have something new to report.
  var obstacleDeadline: MonotonicTime? {
    guard selector.chosen == nil, !members.isEmpty else { return nil }
    let hasStanding = members.values.contains { standingObstacle(of: $0) != nil }
    let standing = hasStanding ? obstacle.quietSince : nil
    let silent = members.values.filter(isUnheard).compactMap(\.run?.startedAt)
    let lasting = ([standing].compactMap { $0 } + silent)
      .map { $0.advanced(byNanoseconds: Self.silenceNanoseconds) }
    return (lasting + [gpsdSilenceDeadline].compactMap { $0 }).filter { $0 > tickedAt }.min()
  }

  /// Reports what has kept fixes away for some time; again only when it changes.
  mutating func tellObstacle(at now: MonotonicTime) -> [Action] {
    guard selector.chosen == nil else {
      obstacle = SourceObstacle()
      return []
    }
    let since = obstacle.quietSince ?? now
    obstacle.quietSince = since
    let hasLasted = now >= since.advanced(byNanoseconds: Self.silenceNanoseconds)
    let texts = members.values.sorted { $0.name < $1.name }.compactMap { member in
      (hasLasted ? standingObstacle(of: member) : nil) ?? silence(of: member, at: now)
    }
    let text = texts.joined(separator: "; ")
    guard !text.isEmpty, text != obstacle.told else { return [] }
    obstacle.told = text
    return [.deliver(.lost(SourceLoss(.silent, detail: text, at: now)))]
  }

  /// A problem that does not pass by itself; those of named sources alone are announced.
  private func standingObstacle(of member: SourceMember) -> String? {
    guard autodetects, case .serial = member.plan else { return nil }
    if case .leftToGPSD = member.phase { return leftNotice(of: member) }
    return member.problem
  }

  private func silence(of member: SourceMember, at now: MonotonicTime) -> String? {
    guard let run = member.run,
      now >= run.startedAt.advanced(byNanoseconds: Self.silenceNanoseconds)
    else { return nil }
    return emptiness(of: member)
  }

  /// A description of what an open port has sent in place of fixes; `nil` once a fix has come.
  ///
  /// It contains no counts, since a changed text is reported again.
  private func emptiness(of member: SourceMember) -> String? {
    guard isUnheard(member), let run = member.run else { return nil }
    let name = member.plan.name
    if run.read.sentences > 0 {
      return "\(name): sentences come, and none that makes a fix."
        + " Is it set to send GGA, RMC or GLL?"
    }
    if member.receiver?.role == .modemPort {
      return "\(name): a modem's port for positions, without any sentence."
        + " Switch its positioning on: mmcli -m any --location-enable-gps-unmanaged"
    }
    if member.isOnTrial {
      return "\(name): listened to at one speed after the other, without a valid sentence yet."
        + " Is a receiver behind it, and switched on?"
    }
    return run.read.bytes > 0
      ? "\(name): bytes come, and no valid sentence. Is its speed the right one?"
      : "\(name): not a byte comes. Is it on?"
  }

  /// Runs of ports that have delivered no fix; their counters are passed to ``note(_:of:)``.
  var unheardRuns: [Int] { members.values.filter(isUnheard).compactMap(\.run?.number) }

  mutating func note(_ counters: NMEACounters, of run: Int) {
    guard let name = owners[run], var noted = members[name]?.run else { return }
    noted.read = counters
    members[name]?.phase = .running(noted)
  }

  /// Whether a port is open and has delivered no fix.
  private func isUnheard(_ member: SourceMember) -> Bool {
    guard case .serial = member.plan, let run = member.run else { return false }
    return !run.hasBeenHeard && member.problem == nil
  }

  // MARK: Receivers that are left to gpsd

  /// The time at which a gpsd that answers has reported nothing of its receivers for too long.
  private var gpsdSilenceDeadline: MonotonicTime? {
    guard selector.chosen == nil, case .up(let since) = gpsd.answer,
      members.values.contains(where: { $0.phase == .leftToGPSD })
    else { return nil }
    return max(since, obstacle.quietSince ?? since)
      .advanced(byNanoseconds: Self.silenceNanoseconds)
  }

  private func leftNotice(of member: SourceMember) -> String? {
    guard gpsd.isUp else { return GPSDConfiguration.absence(of: member.plan.name) }
    guard let deadline = gpsdSilenceDeadline, tickedAt >= deadline else { return nil }
    return GPSDConfiguration.silence(of: member.plan.name)
  }
}

extension SourceMember {
  /// Whether nobody has named the port, and it has not sent a valid sentence.
  fileprivate var isOnTrial: Bool { requiresValidation && !isNamed }
}

extension GPSDConfiguration {
  /// The command that starts gpsd.
  public static let startCommand = "sudo systemctl start gpsd.socket gpsd"

  /// The notice that a receiver is configured for a gpsd that does not run.
  ///
  /// - Parameter devnode: The receiver.
  /// - Returns: One line with the remedy.
  public static func absence(of devnode: String) -> String {
    "\(devnode) is gpsd's by \(usualPath), and gpsd does not run. Start it: \(startCommand)."
      + " Or read it without gpsd: --source serial:\(devnode)"
  }

  /// The notice that gpsd has a receiver and reports nothing of it.
  static func silence(of devnode: String) -> String {
    let seconds = Double(SourceSupervisor.silenceNanoseconds) / 1e9
    return "\(devnode) is left to gpsd, which has told no position report for \(seconds) s."
      + " See what it has: gpspipe -w, and its log: systemctl status gpsd; where it does not have"
      + " it: sudo gpsdctl add \(devnode)"
  }
}
