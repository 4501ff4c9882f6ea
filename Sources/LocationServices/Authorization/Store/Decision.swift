// SPDX-License-Identifier: Apache-2.0

package import SystemSupport

/// An answer that an operator gave while the board ran.
package struct Decision: Hashable, Codable, Sendable {
  package enum Level: String, Hashable, Codable, Sendable {
    case denied
    case whenInUse
    case always
  }

  /// Its number in the store, never given twice.
  package var id: UInt64
  package var selector: ClientSelector
  package var level: Level
  /// Whether only the neighbourhood may be known.
  package var isReduced = false
  /// Whether it was refused to widen "in use" to "always".
  package var refusesAlways = false
  package var created: BootTimestamp
  /// When it ends, seconds since 1970 by the clock of ``created``; `nil` for never.
  package var expiresUTCSeconds: Int64?
  package var servesOnce = false
  /// Who has taken it, where it serves once; gone with that program, served or not.
  ///
  /// Written before the program is granted anything, so that of two that ask at once one gets it.
  package var usedBy: ProcessToken?
  /// The user who gave it; `nil` where a rule did, since nobody answered in time.
  package var grantedBy: UInt32?
  package var reason: String?
  package var purpose: String?

  /// Makes an answer, to be given its number by the store; without `validForSeconds` it counts for
  /// good.
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

  /// How long it holds on from a moment.
  package enum Standing: Hashable, Sendable {
    /// For that many seconds more; `nil` without end.
    case holds(seconds: Int64?)
    /// No longer.
    case over
    /// It ends at some time, and the wall clock is before it began.
    case unclear
  }

  /// Tells how long it holds on.
  package func standing(at now: BootTimestamp) -> Standing {
    guard let expiresUTCSeconds else { return .holds(seconds: nil) }
    let (length, overflow) = expiresUTCSeconds.subtractingReportingOverflow(created.utcSeconds)
    guard !overflow, length > 0 else { return .over }
    guard let elapsed = now.seconds(since: created) else { return .unclear }
    return elapsed < length ? .holds(seconds: length - elapsed) : .over
  }

  /// Whether it counts at a moment for a program, and for how many seconds more.
  ///
  /// Where the clock leaves it unclear a grant does not count and a refusal does. One that serves
  /// once counts for the program that has taken it; until one has, for whoever asks next, which is
  /// what `nil` stands for.
  func counts(at now: BootTimestamp, for process: ProcessToken?) -> (holds: Bool, seconds: Int64?) {
    if servesOnce, usedBy != process { return (false, nil) }
    return switch standing(at: now) {
    case .holds(let seconds): (true, seconds)
    case .over: (false, nil)
    case .unclear: (level == .denied, nil)
    }
  }
}
