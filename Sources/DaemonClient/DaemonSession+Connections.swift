// SPDX-License-Identifier: Apache-2.0

internal import DaemonInterface

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

  /// What connections tell of: the activity, unless the daemon does not take it.
  var wantedActivity: String? { activity == refusedActivity ? nil : activity }

  /// A run begins, with no connection.
  mutating func begin(
    _ takers: DaemonSession.Takers, _ jobs: AsyncStream<DaemonSession.Job>.Continuation
  ) {
    (self.takers, self.jobs) = (takers, jobs)
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
  mutating func begin(_ number: UInt64, with activity: String?) {
    (current, isConnected, toldActivity, renewalWait) = (number, true, activity, nil)
    attempts = attempts.filter { $0 > number }
    jobs?.yield(.disconnect(before: number))
    // What has been begun or ended since it was made goes with another.
    if wantedActivity != activity { connectAnew() }
  }

  /// Tries again to replace the connection that speaks, where that is needed still.
  mutating func renew() {
    awaitsRenewal = false
    if isConnected, attempts.isEmpty, toldActivity != wantedActivity { connectAnew() }
  }

  /// The connection of that number has failed or ended.
  mutating func end(
    _ number: UInt64, _ error: DaemonClientError, with activity: String?
  ) -> End {
    attempts.remove(number)
    // One that was replaced.
    guard number >= current else { return .nothing }
    let isRefused = if case .rejected = error { activity != nil } else { false }
    if isRefused { refusedActivity = activity }
    if isConnected, number > current {
      // The program keeps what it has.
      if isRefused {
        if attempts.isEmpty, toldActivity != wantedActivity { connectAnew() }
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
    (refusedActivity, toldActivity, renewalWait) = (nil, nil, nil)
    jobs?.yield(.disconnect(before: newest))
    for waiter in fullAccuracy.values { waiter.yield(.lost) }
    return .lost
  }
}
