// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Findings about what receivers state about themselves, such as a short circuit of the antenna.
enum ReceiverMessageFindings {
  /// Returns one finding for each fault that a receiver of the daemon states.
  ///
  /// A fault with a position is a note: a passive antenna may be reported as open.
  static func findings(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    guard snapshot.isEnforced else { return [] }
    let hasPosition = snapshot.daemonSource.noFix == nil
    return snapshot.daemonSource.messages.filter(\.isFault).map { message in
      let name = message.source.map { "\($0): " } ?? ""
      return DoctorFinding(
        message.antenna == nil || hasPosition ? .note : .bad,
        message.antenna == nil ? "receiver" : "antenna", "\(name)\(message)",
        remedy: message.advice)
    }
  }
}
