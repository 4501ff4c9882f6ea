// SPDX-License-Identifier: Apache-2.0

package import SystemSupport

/// A decision that an operator made while the board was running.
package struct Decision: Hashable, Codable, Sendable {
  package enum Level: String, Hashable, Codable, Sendable {
    case denied
    case whenInUse
    case always
  }

  /// The number in the store, never reused.
  package var id: UInt64
  package var selector: ClientSelector
  package var level: Level
  /// Whether accuracy is reduced.
  package var isReduced = false
  /// Whether an upgrade from "in use" to "always" was refused.
  package var refusesAlways = false
  package var created: BootTimestamp
  /// The expiry in seconds since 1970, by the same clock as ``created``; `nil` for never.
  package var expiresUTCSeconds: Int64?
  package var servesOnce = false
  /// The program that has claimed a one-time grant; the grant ends when this program ends.
  ///
  /// The claim is written before the program is granted anything, so that only one of two
  /// concurrent programs gets the grant.
  package var usedBy: ProcessToken?
  /// The user who decided; `nil` if a rule refused the request after its timeout.
  package var grantedBy: UInt32?
  package var reason: String?
  package var purpose: String?

  /// Creates a decision that expires after `validForSeconds`, or never; the store sets its number.
  package init(
    selector: ClientSelector, level: Level, created: BootTimestamp, validForSeconds: Int64? = nil,
    grantedBy: UInt32?, reason: String? = nil
  ) {
    id = 0
    self.selector = selector
    self.level = level
    self.created = created
    expiresUTCSeconds = validForSeconds.map { created.advanced(bySeconds: $0).utcSeconds }
    self.grantedBy = grantedBy
    self.reason = reason
  }

  /// The validity of a decision at a given time.
  package enum Validity: Hashable, Sendable {
    /// The decision is valid for this many seconds; `nil` if it never expires.
    case holds(seconds: Int64?)
    /// Expired.
    case over
    /// The decision expires, and the wall clock is before its creation.
    case unclear
  }

  /// Returns the validity at a given time.
  package func validity(at now: BootTimestamp) -> Validity {
    guard let expiresUTCSeconds else { return .holds(seconds: nil) }
    let (length, overflow) = expiresUTCSeconds.subtractingReportingOverflow(created.utcSeconds)
    guard !overflow, length > 0 else { return .over }
    guard let elapsed = now.seconds(since: created) else { return .unclear }
    return elapsed < length ? .holds(seconds: length - elapsed) : .over
  }

  /// Returns whether the decision applies to a program at a given time, and for how many seconds.
  ///
  /// If the validity is unclear, a refusal applies, but a grant does not. A claimed one-time grant
  /// applies only to the program that has claimed it. An unclaimed one-time grant applies only if
  /// `process` is `nil`, which means the next program that claims the grant.
  func applicability(
    at now: BootTimestamp, for process: ProcessToken?
  ) -> (applies: Bool, seconds: Int64?) {
    if servesOnce, usedBy != process { return (false, nil) }
    return switch validity(at: now) {
    case .holds(let seconds): (true, seconds)
    case .over: (false, nil)
    case .unclear: (level == .denied, nil)
    }
  }
}
