// SPDX-License-Identifier: Apache-2.0

package import SystemSupport

/// Temporary full accuracy, granted by an operator to a client with reduced accuracy.
///
/// The grant takes effect when a program requests full accuracy; each run of a program must request
/// full accuracy again. The grant ends at the latest when the authorization of the program ends.
package struct FullAccuracyLease: Hashable, Codable, Sendable {
  /// The number in the store, never reused.
  package var id: UInt64
  package var selector: ClientSelector
  /// The purposes of the requests that the grant answered; empty if it is valid for any purpose.
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

  /// Returns the remaining seconds, above 0.
  ///
  /// Returns `nil` if the lease has expired, or if the clock is before the creation of the lease.
  package func remainingSeconds(at now: BootTimestamp) -> Int64? {
    guard validForSeconds > 0, let elapsed = now.seconds(since: created) else { return nil }
    return elapsed < validForSeconds ? validForSeconds - elapsed : nil
  }

  /// Whether the duration is within the permitted range.
  var hasValidDuration: Bool { (1...DurationText.maxSeconds).contains(validForSeconds) }

  /// Whether the grant has certainly expired; false if the clock is before its creation.
  func isFinished(at now: BootTimestamp) -> Bool {
    now.seconds(since: created).map { $0 >= validForSeconds } ?? false
  }
}
