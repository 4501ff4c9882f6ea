// SPDX-License-Identifier: Apache-2.0

import Positioning

// Which source's words go on, and what is said when none is left.
extension SourceSupervisor {
  /// Turns what the selector has decided into what is to be done; a loss is told where none is left.
  mutating func choose(
    _ decided: [SourceSelector.Action], loss: SourceLoss? = nil, at now: MonotonicTime
  ) -> [Action] {
    decided.compactMap { action in
      switch action {
      case .deliver(let fix):
        deliveredKey = selector.chosen
        return .deliver(.fix(fix))
      case .chosen:
        chosenHeardAt = now
        return nil
      case .noneLeft: return loss.map { .deliver(.lost($0)) }
      }
    }
  }

  /// All that a member had is lost.
  mutating func lose(_ name: String, _ loss: SourceLoss, at now: MonotonicTime) -> [Action] {
    let keys = members[name]?.keys.sorted() ?? []
    members[name]?.keys = []
    // The chosen one last, or it would be followed by another of the same.
    let ordered = keys.filter { $0 != selector.chosen } + keys.filter { $0 == selector.chosen }
    return ordered.flatMap { key in
      choose(selector.lose(key, at: now), loss: loss, at: now)
    }
  }

  /// A source has come to the end of its input: nothing is lost, and another may go on.
  mutating func forget(_ name: String, at now: MonotonicTime) {
    for key in members[name]?.keys ?? [] { _ = selector.lose(key, at: now) }
    members[name]?.keys = []
  }

  /// Calls the chosen source lost where it has said nothing for too long, and nobody takes over.
  mutating func tickSelection(_ now: MonotonicTime) -> [Action] {
    let actions = choose(selector.tick(at: now), at: now)
    guard let chosen = selector.chosen, let heardAt = chosenHeardAt,
      now >= heardAt.advanced(byNanoseconds: Self.silenceNanoseconds)
    else { return actions }
    let member = members.values.first { $0.keys.contains(chosen) }
    let loss = SourceLoss(
      .silent, receiver: member?.fixName,
      detail: "no fix for \(Double(Self.silenceNanoseconds) / 1e9) s", at: now)
    return actions + choose(selector.lose(chosen, at: now), loss: loss, at: now)
  }

  /// Says what is wrong where all that was asked for by name is wrong, and nothing else can come.
  mutating func announce(
    _ reason: SourceLoss.Reason, of name: String, at now: MonotonicTime
  ) -> [Action] {
    guard !takesPluggedIn, selector.chosen == nil, members[name]?.isNamed == true else {
      return []
    }
    let problems = members.values.filter { $0.phase != .ended || $0.problem != nil }
      .sorted { $0.name < $1.name }.map(\.problem)
    let told = problems.compactMap { $0 }
    guard told.count == problems.count else { return [] }
    var loss = SourceLoss(reason, detail: told.joined(separator: "; "))
    guard loss != announced else { return [] }
    announced = loss
    loss.at = now
    return [.deliver(.lost(loss))]
  }
}

// MARK: - For people

extension SourceSupervisor {
  /// What stands in the way of fixes.
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
    notices += waiting.map(Self.overLimit)
    if droppedCount > 0 { notices.append("no room for \(droppedCount) more receivers") }
    // Who has named all that is to be read has no use for what finding more of it needs.
    if takesPluggedIn, let discoveryNotice { notices.append(discoveryNotice) }
    return notices
  }

  static func overLimit(_ member: SourceMember) -> String {
    "\(member.plan.name) is not read: \(memberLimit) sources are the most."
      + " It is read when one of them is unplugged, or named alone"
  }
}

extension GPSDConfiguration {
  /// That a receiver is gpsd's by configuration, and gpsd does not run.
  ///
  /// - Parameter devnode: The receiver.
  /// - Returns: What is so and what to do, in one line.
  public static func absence(of devnode: String) -> String {
    "\(devnode) is gpsd's by \(usualPath), and gpsd does not run. Start it: \(startCommand)."
      + " Or read it without gpsd: --source serial:\(devnode)"
  }

  /// The command that starts gpsd.
  public static let startCommand = "sudo systemctl start gpsd.socket gpsd"
}
