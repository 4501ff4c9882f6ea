// SPDX-License-Identifier: Apache-2.0

import Positioning

// What is said of receivers that are left to gpsd.
extension SourceSupervisor {
  /// When a gpsd that answers, and to which something is left, has told nothing for too long.
  var gpsdSilenceDeadline: MonotonicTime? {
    guard selector.chosen == nil, case .up(let since) = gpsd.answer,
      members.values.contains(where: { $0.phase == .leftToGPSD })
    else { return nil }
    return max(since, quietSince ?? since).advanced(byNanoseconds: Self.silenceNanoseconds)
  }

  /// What stands in the way of a receiver that is left to gpsd; `nil` where nothing does.
  func leftNotice(of member: SourceMember) -> String? {
    guard gpsd.isUp else { return GPSDConfiguration.absence(of: member.plan.name) }
    guard let deadline = gpsdSilenceDeadline, tickedAt >= deadline else { return nil }
    return GPSDConfiguration.silence(of: member.plan.name)
  }
}

extension GPSDConfiguration {
  /// That gpsd has a receiver and tells nothing of it.
  ///
  /// - Parameter devnode: The receiver.
  /// - Returns: What is so and what to do, in one line.
  static func silence(of devnode: String) -> String {
    let seconds = Double(SourceSupervisor.silenceNanoseconds) / 1e9
    return "\(devnode) is left to gpsd, which has told no position report for \(seconds) s."
      + " See what it has: gpspipe -w, and its log: systemctl status gpsd; where it does not have"
      + " it: sudo gpsdctl add \(devnode)"
  }
}
