// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// The reception, and the part of it that the program learns.
///
/// The reception reported to a program with reduced accuracy changes no more often than its
/// locations, because the moments of loss and recovery would reveal bridges and tunnels.
struct ReceptionTracker: Sendable {
  typealias Action = LocationMachine.Action

  /// The reception; `noFix` means a receiver without a fix.
  enum Reception: Equatable, Sendable { case noReceiver, noFix, fix }

  private var reception = Reception.noReceiver
  private(set) var satellitesInView: Int?
  /// Whether the current outage has been reported; each outage is reported once.
  private var isOutageReported = false

  /// Whether the source delivers locations only while a service is in use.
  private var isOnDemand = false
  /// Whether locations have been requested and the source has not reported anything yet.
  private(set) var isAwaitingFirstReport = false

  /// The reception last reported to a program with reduced accuracy.
  private var reducedReception = Reception.noReceiver
  private var reducedChangedAt: MonotonicTime?
  /// Whether the report of a different reception is delayed until the timer fires.
  private(set) var isReportDelayed = false

  /// The diagnostics that concern the reception; empty while it is unknown.
  func diagnostics(isReduced: Bool, isInUse: Bool) -> LocationDiagnostics {
    guard !isOnDemand || isInUse && !isAwaitingFirstReport else { return [] }
    return switch isReduced ? reducedReception : reception {
    case .noReceiver: [.locationUnavailable, .noReceiver]
    case .noFix: [.locationUnavailable, .noFix]
    case .fix: []
    }
  }

  // MARK: Reports of the source

  mutating func set(_ new: Reception) { (reception, isAwaitingFirstReport) = (new, false) }

  mutating func findReceiver(
    _ authorization: AuthorizationState, at now: MonotonicTime
  ) -> [Action] {
    set(reception == .noReceiver ? .noFix : reception)
    return report(authorization, at: now)
  }

  /// Processes a lost position; the program is notified once per outage while updates run.
  ///
  /// `isRevealed` means that the program receives an epoch now, which reveals the reception.
  mutating func lose(
    _ new: Reception, _ authorization: AuthorizationState, isUpdating: Bool,
    isRevealed: Bool = false, at now: MonotonicTime
  ) -> [Action] {
    set(new)
    let actions = report(authorization, isRevealed: isRevealed, at: now)
    let mayKnow = !authorization.isReduced || reducedReception != .fix
    guard mayKnow, authorization.mayDeliver, isUpdating, !isOutageReported else { return actions }
    isOutageReported = true
    return actions + [.call(.didFailWithError(.locationUnknown))]
  }

  mutating func endOutage() { isOutageReported = false }

  /// Records the number of satellites; returns whether listeners are to receive it.
  mutating func updateSatellites(inView count: Int) -> Bool {
    guard satellitesInView != count else { return false }
    satellitesInView = count
    return reception != .fix
  }

  // MARK: Reduced accuracy

  /// Adopts the reception that the program knows when its accuracy becomes reduced.
  mutating func beginReducing() {
    if reception != reducedReception { (reducedReception, reducedChangedAt) = (reception, nil) }
    isReportDelayed = false
  }

  /// Reports the reception to a program with reduced accuracy, at once or after a delay.
  ///
  /// `isRevealed` means that the program receives a location or an epoch, which reveals the
  /// reception. Locations that arrive reduced reveal nothing by their timing and cause no delay.
  mutating func report(
    _ authorization: AuthorizationState, isRevealed: Bool = false, at now: MonotonicTime
  ) -> [Action] {
    guard authorization.isReduced else { return [] }
    guard reception != reducedReception else {
      isReportDelayed = false
      return []
    }
    let elapsed = reducedChangedAt.map { now.seconds(since: $0) }
    let remaining = elapsed.map { ReducedAccuracy.minimumSeconds - $0 } ?? 0
    guard isRevealed || authorization.isReducedByDaemon || remaining <= 0 else {
      defer { isReportDelayed = true }
      return isReportDelayed ? [] : [.startTimer(.reducedReception, .seconds(remaining))]
    }
    (reducedReception, reducedChangedAt, isReportDelayed) = (reception, now, false)
    return []
  }

  /// Ends the delay of a report.
  mutating func endReportDelay(
    _ authorization: AuthorizationState, isUpdating: Bool, at now: MonotonicTime
  ) -> [Action] {
    isReportDelayed = false
    return reception == .fix
      ? report(authorization, at: now)
      : lose(reception, authorization, isUpdating: isUpdating, at: now)
  }

  // MARK: Source on demand

  mutating func setSource(isOnDemand: Bool) { self.isOnDemand = isOnDemand }

  /// Processes the start of the first service or the end of the last one.
  ///
  /// The reception is then unknown until the source reports, because earlier values are outdated. A
  /// missing receiver is reported only after five seconds.
  mutating func setInUse(_ isInUse: Bool) -> [Action] {
    guard isOnDemand else { return [] }
    isAwaitingFirstReport = isInUse
    return isInUse ? [.startTimer(.reception, .seconds(5))] : []
  }

  /// Ends the wait for the first report of the source, which has no receiver then.
  mutating func endFirstReportWait(
    _ authorization: AuthorizationState, at now: MonotonicTime
  ) -> [Action] {
    guard isAwaitingFirstReport else { return [] }
    set(.noReceiver)
    return report(authorization, at: now)
  }
}
