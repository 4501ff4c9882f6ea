// SPDX-License-Identifier: Apache-2.0

package import SystemSupport

/// Full accuracy for a while, given by an operator to a client that may know less.
///
/// It changes nothing by itself: a program has to ask for it, each run of it anew, and it lasts no
/// longer than what the program is granted otherwise.
package struct FullAccuracyLease: Hashable, Codable, Sendable {
  /// Its number in the store, never given twice.
  package var id: UInt64
  package var selector: ClientSelector
  /// What it is given for, by the keys that were waiting when it was given; empty for anything.
  package var purposeKeys: [String]
  package var created: BootTimestamp
  package var validForSeconds: Int64
  package var grantedBy: UInt32
  package var reason: String?

  package init(
    selector: ClientSelector, created: BootTimestamp, validForSeconds: Int64, grantedBy: UInt32,
    reason: String? = nil
  ) {
    id = 0
    purposeKeys = []
    self.selector = selector
    self.created = created
    self.validForSeconds = validForSeconds
    self.grantedBy = grantedBy
    self.reason = reason
  }

  /// How much of it is left.
  ///
  /// - Returns: Seconds, above 0; `nil` where it is over, or where the clock is behind it.
  package func remainingSeconds(at now: BootTimestamp) -> Int64? {
    guard validForSeconds > 0, let elapsed = now.seconds(since: created) else { return nil }
    return elapsed < validForSeconds ? validForSeconds - elapsed : nil
  }

  /// Whether it lasts as long as somebody can say, and no shorter than any time.
  var isSayable: Bool { (1...DurationText.maxSeconds).contains(validForSeconds) }

  /// Whether it has run out for certain.
  func isFinished(at now: BootTimestamp) -> Bool {
    now.seconds(since: created).map { $0 >= validForSeconds } ?? false
  }
}
