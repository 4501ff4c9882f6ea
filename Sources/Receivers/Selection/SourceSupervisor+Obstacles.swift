// SPDX-License-Identifier: Apache-2.0

import Positioning

// What is said where no fix comes though something is there.
extension SourceSupervisor {
  /// When ``tellObstacle(at:)`` may have something to say that it has not now.
  var obstacleDeadline: MonotonicTime? {
    guard selector.chosen == nil, !members.isEmpty else { return nil }
    let hasStanding = members.values.contains { standingObstacle(of: $0) != nil }
    let standing = hasStanding ? quietSince : nil
    let silent = members.values.filter(isUnheard).compactMap(\.run?.startedAt)
    let lasting = ([standing].compactMap { $0 } + silent)
      .map { $0.advanced(byNanoseconds: Self.silenceNanoseconds) }
    return (lasting + [gpsdSilenceDeadline].compactMap { $0 }).filter { $0 > tickedAt }.min()
  }

  /// Says once what stops fixes, where that has lasted; again only when it is something else.
  mutating func tellObstacle(at now: MonotonicTime) -> [Action] {
    guard selector.chosen == nil else {
      (quietSince, toldObstacle) = (nil, nil)
      return []
    }
    let since = quietSince ?? now
    quietSince = since
    let hasLasted = now >= since.advanced(byNanoseconds: Self.silenceNanoseconds)
    let texts = members.values.sorted { $0.name < $1.name }.compactMap { member in
      (hasLasted ? standingObstacle(of: member) : nil) ?? silence(of: member, at: now)
    }
    let text = texts.joined(separator: "; ")
    guard !text.isEmpty, text != toldObstacle else { return [] }
    toldObstacle = text
    return [.deliver(.lost(SourceLoss(.silent, detail: text, at: now)))]
  }

  /// What will not pass by itself; what was asked for alone says so by itself.
  private func standingObstacle(of member: SourceMember) -> String? {
    guard takesPluggedIn, case .serial = member.plan else { return nil }
    if case .leftToGPSD = member.phase { return leftNotice(of: member) }
    return member.problem
  }

  private func silence(of member: SourceMember, at now: MonotonicTime) -> String? {
    guard let run = member.run,
      now >= run.startedAt.advanced(byNanoseconds: Self.silenceNanoseconds)
    else { return nil }
    return emptiness(of: member)
  }

  /// What has come of a port that is open, in place of fixes; `nil` where fixes have come.
  ///
  /// Without figures that grow: it is told again where it has changed.
  func emptiness(of member: SourceMember) -> String? {
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

  /// The runs of ports of which no fix has come.
  var unheardRuns: [Int] { members.values.filter(isUnheard).compactMap(\.run?.number) }

  /// Takes note of what a run has read.
  mutating func note(_ counters: NMEACounters, of run: Int) {
    guard let name = owners[run], var noted = members[name]?.run else { return }
    noted.read = counters
    members[name]?.phase = .running(noted)
  }

  /// Whether a port is open from which no fix has come.
  private func isUnheard(_ member: SourceMember) -> Bool {
    guard case .serial = member.plan, let run = member.run else { return false }
    return !run.hasBeenHeard && member.problem == nil
  }
}

extension SourceMember {
  /// Whether nobody knows whether it is a receiver at all.
  var isOnTrial: Bool { needsProof && !isNamed }
}
