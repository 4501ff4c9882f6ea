// SPDX-License-Identifier: Apache-2.0

/// What a board without a screen shows of whether a program is in use, before it says so itself.
///
/// A person uses it who sees it in the foreground of a terminal, or who is logged in while it
/// runs. A system unit runs unattended, whoever is logged in. What is neither has to declare an
/// activity, which a log shows.
public struct UseEvidence: Hashable, Sendable {
  /// Whether it runs in a system unit.
  public var isSystemUnit: Bool
  /// Whether its user has an active login session; `nil` where the board keeps no record of any.
  public var isOwnerLoggedIn: Bool?
  /// Whether it is in the foreground of a terminal.
  public var isForeground: Bool

  /// Names the evidence.
  ///
  /// - Parameters:
  ///   - isSystemUnit: Whether it runs in a system unit.
  ///   - isOwnerLoggedIn: Whether its user is logged in; `nil` where nobody knows.
  ///   - isForeground: Whether it is in the foreground of a terminal.
  public init(isSystemUnit: Bool, isOwnerLoggedIn: Bool?, isForeground: Bool) {
    self.isSystemUnit = isSystemUnit
    self.isOwnerLoggedIn = isOwnerLoggedIn
    self.isForeground = isForeground
  }

  /// Whether it is in use.
  ///
  /// Where there is no record of logins, what no unit runs counts as run by a person: a grant for
  /// as long as a program is used would be worth nothing there.
  public var isInUse: Bool { isForeground || (!isSystemUnit && isOwnerLoggedIn ?? true) }
}
