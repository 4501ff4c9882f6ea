// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// One line of a policy file.
package struct PolicyRule: Hashable, Sendable {
  package enum Verb: Hashable, Sendable {
    /// Nobody may know, and no answer changes that.
    case lock
    /// Grants what is asked for, at most that level, as soon as it is asked for.
    case allow(atMost: AuthorizationRequest, AccuracyAuthorization)
    case deny
    /// Leaves it to an operator; where nobody answers in time, either stays open or is refused.
    case ask(timeoutSeconds: Int64?, thenDeny: Bool)
  }

  package var verb: Verb
  package var selector: ClientSelector
  package var place: PolicyPlace
  /// For how long a client that it gives reduced accuracy gets full accuracy whenever it asks, in
  /// seconds; `nil` where an operator is to be asked.
  package var fullAccuracySeconds: Int64?
}

/// A line of a file, as every editor and compiler writes it.
package struct PolicyPlace: Hashable, Sendable, CustomStringConvertible {
  package var file: String
  /// The line, from 1; `nil` for the file as a whole.
  package var line: Int?

  /// Such as `/etc/fixcast/policy.d/50-board.conf:3`.
  package var description: String { line.map { "\(file):\($0)" } ?? file }
}

/// Something in a policy that cannot be understood or read.
///
/// One is enough to restrict every client: what a rule that nobody understands would have
/// forbidden must not be allowed.
package struct PolicyProblem: Hashable, Sendable, CustomStringConvertible {
  package var place: PolicyPlace
  package var message: String

  package var description: String { "\(place): \(message)" }
}
