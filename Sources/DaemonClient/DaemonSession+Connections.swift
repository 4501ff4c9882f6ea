// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol

/// Which connections there are: one that speaks, and those that are to take its place.
extension DaemonSession.State {
  /// What follows of a connection that has failed or ended.
  enum End {
    case nothing
    /// The one that speaks goes on; it is to be said why it was not replaced.
    case report
    /// There is none any more.
    case lost
  }

  /// What connections tell the daemon: the activity, unless the daemon does not take it.
  var wantedTerms: DaemonSession.Terms {
    DaemonSession.Terms(
      activity: activity == refusedActivity ? nil : activity,
      tellsLocations: !isOnDemand || !uses.isEmpty)
  }

  /// A run begins, with no connection.
  mutating func begin(
    _ takers: DaemonSession.Takers, isOnDemand: Bool,
    _ jobs: AsyncStream<DaemonSession.Job>.Continuation
  ) {
    (self.takers, self.isOnDemand, self.jobs) = (takers, isOnDemand, jobs)
    (attempts, isConnected, renewalWait, awaitsRenewal) = ([], false, nil, false)
    (current, newest) = (newest &+ 1, newest &+ 1)
  }

  /// Begins a connection beside the one that there may be, which goes once the new one speaks.
  mutating func connectAnew() {
    newest &+= 1
    attempts.insert(newest)
    jobs?.yield(.connect(newest))
  }

  /// The connection of that number speaks.
  mutating func begin(_ number: UInt64, with terms: DaemonSession.Terms) {
    (current, isConnected, toldTerms, renewalWait) = (number, true, terms, nil)
    attempts = attempts.filter { $0 > number }
    jobs?.yield(.disconnect(before: number))
    // What has been begun or ended since it was made goes with another.
    if wantedTerms != terms { connectAnew() }
  }

  /// Tries again to replace the connection that speaks, where that is needed still.
  mutating func renew() {
    awaitsRenewal = false
    if isConnected, attempts.isEmpty, toldTerms != wantedTerms { connectAnew() }
  }

  /// The connection of that number has failed or ended.
  mutating func end(
    _ number: UInt64, _ error: DaemonClientError, with terms: DaemonSession.Terms
  ) -> End {
    attempts.remove(number)
    // One that was replaced.
    guard number >= current else { return .nothing }
    let isRefused = if case .rejected = error { terms.activity != nil } else { false }
    if isRefused { refusedActivity = terms.activity }
    if isConnected, number > current {
      // The program keeps what it has.
      if isRefused {
        if attempts.isEmpty, toldTerms != wantedTerms { connectAnew() }
        return .report
      }
      guard attempts.isEmpty, !awaitsRenewal else { return .nothing }
      let isFirst = renewalWait == nil
      let wait = backoff.next(after: renewalWait)
      (renewalWait, awaitsRenewal) = (wait, true)
      jobs?.yield(.renew(after: wait))
      return isFirst ? .report : .nothing
    }
    isConnected = false
    // It is had without, or by what was begun already.
    if isRefused, attempts.isEmpty { connectAnew() }
    guard attempts.isEmpty else { return isRefused ? .report : .nothing }
    (current, newest) = (newest &+ 1, newest &+ 1)
    (refusedActivity, toldTerms, renewalWait) = (nil, nil, nil)
    jobs?.yield(.disconnect(before: newest))
    for waiter in fullAccuracy.values { waiter.yield(.lost) }
    return .lost
  }
}
