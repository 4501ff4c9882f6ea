// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// One line of a policy file.
package struct PolicyRule: Hashable, Sendable {
  package enum Verb: Hashable, Sendable {
    /// Access is restricted, and no decision can change that.
    case lock
    /// A request is granted at once, up to this level.
    case allow(atMost: AuthorizationRequest, AccuracyAuthorization)
    case deny
    /// An operator decides; after the timeout, the request lapses or is refused.
    case ask(timeoutSeconds: Int64?, thenDeny: Bool)
  }

  package var verb: Verb
  package var selector: ClientSelector
  package var place: PolicyPlace
  /// The duration in seconds of temporary full accuracy for a client with reduced accuracy.
  ///
  /// The value is `nil` if an operator has to decide about temporary full accuracy.
  package var fullAccuracySeconds: Int64?
}

/// A line of a file, in the notation of editors and compilers.
package struct PolicyPlace: Hashable, Sendable, CustomStringConvertible {
  package var file: String
  /// The line, from 1; `nil` for the file as a whole.
  package var line: Int?

  /// For example `/etc/fixcast/policy.d/50-board.conf:3`.
  package var description: String { line.map { "\(file):\($0)" } ?? file }
}

/// A part of a policy that cannot be read or parsed.
///
/// One problem restricts every client, because the part might have forbidden access.
package struct PolicyProblem: Hashable, Sendable, CustomStringConvertible {
  package var place: PolicyPlace
  package var message: String

  package var description: String { "\(place): \(message)" }
}
