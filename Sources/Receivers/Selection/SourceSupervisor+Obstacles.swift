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
    return ([standing].compactMap { $0 } + silent)
      .map { $0.advanced(byNanoseconds: Self.silenceNanoseconds) }.filter { $0 > tickedAt }.min()
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
    if case .leftToGPSD = member.phase {
      return gpsd.isUp ? nil : GPSDConfiguration.absence(of: member.plan.name)
    }
    return member.needsProof && !member.isNamed ? nil : member.problem
  }

  private func silence(of member: SourceMember, at now: MonotonicTime) -> String? {
    guard isUnheard(member), let run = member.run,
      now >= run.startedAt.advanced(byNanoseconds: Self.silenceNanoseconds)
    else { return nil }
    return "\(member.plan.name): no sentence for \(Self.silenceNanoseconds / 1_000_000_000) s."
      + " Is it on, and its speed the right one?"
  }

  /// Whether a port is open from which nothing has come; one that is only tried is not told of.
  private func isUnheard(_ member: SourceMember) -> Bool {
    guard case .serial = member.plan, let run = member.run else { return false }
    return !run.hasBeenHeard && member.problem == nil && (member.isNamed || !member.needsProof)
  }
}
