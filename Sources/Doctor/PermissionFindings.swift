// SPDX-License-Identifier: Apache-2.0

extension DoctorSnapshot {
  /// The access of this user to the position.
  package enum Permission: Equatable, Sendable {
    /// The position, with full or reduced accuracy.
    case allowed(isReduced: Bool)
    /// The position, from the first request on, because a rule allows it.
    case allowedOnRequest
    /// Nothing, with the reason and the command that solves it.
    case none(reason: String, remedy: String)
  }
}

enum PermissionFindings {
  /// Returns the findings about this user's access, and about the last position.
  static func findings(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    guard snapshot.isEnforced, let permission = snapshot.permission else { return [] }
    switch permission {
    case .allowed(let isReduced):
      let accuracy = isReduced ? "reduced" : "full"
      return [
        DoctorFinding(
          .good, "permission", "this user may know the position, with \(accuracy) accuracy")
      ] + fixFindings(snapshot.daemonSource)
    case .allowedOnRequest:
      return [
        DoctorFinding(.good, "permission", "a rule lets this user know the position on request")
      ]
    case .none(let reason, let remedy):
      // Invalid rules and the switch are findings of their own.
      guard snapshot.board.policyFaults.isEmpty, snapshot.board.switchOn == nil else { return [] }
      return [DoctorFinding(.bad, "permission", reason, remedy: remedy)]
    }
  }

  /// Returns the finding about the last fix, unless another finding explains why there is none.
  private static func fixFindings(_ source: DoctorSnapshot.DaemonSource) -> [DoctorFinding] {
    guard source.fault == nil, source.noFix == nil, let age = source.fixAge else { return [] }
    return [DoctorFinding(.good, "fix", "the last position is \(age) old")]
  }
}
