// SPDX-License-Identifier: Apache-2.0

public import SystemSupport

/// Full accuracy for a while.
extension DecisionLedger {
  /// Records full accuracy for a while in place of an earlier one for the same selector.
  ///
  /// Requests for it that are answered so wait no longer, and it is for their purposes alone.
  ///
  /// - Parameter lease: The lease; its number and its purposes are given here.
  /// - Returns: The number; `nil` where there are too many already, or where the selector is
  ///   everyone.
  public mutating func record(_ lease: FullAccuracyLease) -> UInt64? {
    var lease = lease
    guard lease.selector != .everyone else { return nil }
    var leases = leases.filter { $0.selector != lease.selector }
    guard leases.count < Self.mostDecisions else { return nil }
    lease.purposeKeys = pending.compactMap {
      lease.selector.covers($0.selector) ? $0.fullAccuracyPurposeKey : nil
    }
    lease.reason = lease.reason.map(Self.cut)
    lease.id = takeID()
    forget { $0.fullAccuracyPurposeKey != nil && lease.selector.covers($0.selector) }
    leases.append(lease)
    self.leases = leases
    return lease.id
  }

  /// Refuses requests for full accuracy that wait, and ends what was given of it.
  ///
  /// - Parameter selector: Whose.
  /// - Returns: Whether there was anything to refuse or to end.
  public mutating func refuseFullAccuracy(_ selector: ClientSelector) -> Bool {
    let count = leases.count + pending.count
    leases.removeAll { selector.covers($0.selector) }
    forget { $0.fullAccuracyPurposeKey != nil && selector.covers($0.selector) }
    return leases.count + pending.count != count
  }

  /// How long a client may have full accuracy for a purpose.
  ///
  /// - Parameters:
  ///   - client: Who asks.
  ///   - key: For which purpose; `nil` for any.
  ///   - now: The present moment.
  /// - Returns: Seconds; `nil` where nobody has given it.
  public func fullAccuracySeconds(
    for client: ClientIdentity, purposeKey key: String?, at now: BoardTime
  ) -> Int64? {
    leases.filter { lease in
      lease.selector.matches(client)
        && (lease.purposeKeys.isEmpty
          || key.map { lease.purposeKeys.contains(Self.cut($0)) } ?? true)
    }.compactMap { $0.remainingSeconds(at: now) }.max()
  }
}
