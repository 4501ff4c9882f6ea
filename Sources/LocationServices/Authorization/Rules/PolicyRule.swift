// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// One line of a policy file.
public struct PolicyRule: Hashable, Sendable {
  /// What the line says.
  public enum Verb: Hashable, Sendable {
    /// Nobody may know, and no answer changes that.
    case lock
    /// Grants what is asked for, at most that level, as soon as it is asked for.
    case allow(atMost: AuthorizationRequest, AccuracyAuthorization)
    /// Refuses what is asked for.
    case deny
    /// Leaves it to an operator; where nobody answers in time, either stays open or is refused.
    case ask(timeoutSeconds: Int64?, thenDeny: Bool)
  }

  /// What it says.
  public var verb: Verb
  /// Of whom.
  public var selector: ClientSelector
  /// Where it stands.
  public var place: PolicyPlace
  /// For how long a client that it gives reduced accuracy gets full accuracy whenever it asks, in
  /// seconds; `nil` where an operator is to be asked.
  public var fullAccuracySeconds: Int64?
}

/// A line of a file, as every editor and compiler writes it.
public struct PolicyPlace: Hashable, Sendable, CustomStringConvertible {
  /// The file.
  public var file: String
  /// The line, from 1; `nil` for the file as a whole.
  public var line: Int?

  /// Such as `/etc/fixcast/policy.d/50-board.conf:3`.
  public var description: String { line.map { "\(file):\($0)" } ?? file }
}

/// Something in a policy that cannot be understood or read.
///
/// One is enough to restrict every client: what a rule that nobody understands would have
/// forbidden must not be allowed.
public struct PolicyProblem: Hashable, Sendable, CustomStringConvertible {
  /// Where.
  public var place: PolicyPlace
  /// What is wrong, and what would be right.
  public var message: String

  /// Both in one line.
  public var description: String { "\(place): \(message)" }
}
