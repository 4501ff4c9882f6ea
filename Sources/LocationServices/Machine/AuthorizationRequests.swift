// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// The authorization of a program and its requests to the policy.
struct AuthorizationRequests: Sendable {
  typealias Action = LocationMachine.Action

  /// The maximum number of pending full-accuracy requests; further ones are refused.
  static let maxFullAccuracyCount = 16

  private let purpose: String
  private(set) var state: AuthorizationState
  private var fullAccuracyCount: UInt64 = 0
  /// The callers' identifiers of the pending full-accuracy requests, by request number.
  private var askingFullAccuracy: [UInt64: UInt64] = [:]
  /// The numbers of requests that a decision has answered before their own answer has arrived.
  private var settledFullAccuracy: Set<UInt64> = []

  init(_ state: AuthorizationState, purpose: String) {
    self.state = state
    self.purpose = purpose
  }

  mutating func ask(_ request: AuthorizationRequest) -> [Action] {
    guard let number = state.ask(request, purpose: purpose) else { return [] }
    return [.ask(request, purpose: purpose, number: number)]
  }

  mutating func askFullAccuracy(_ id: UInt64, key: String) -> [Action] {
    let openCount = askingFullAccuracy.count + settledFullAccuracy.count
    let isFull = openCount >= Self.maxFullAccuracyCount
    if let refusal = state.fullAccuracyRefusal ?? (isFull ? .promptDeclined : nil) {
      return [.call(.didAnswerFullAccuracy(id: id, refusal))]
    }
    fullAccuracyCount &+= 1
    askingFullAccuracy[fullAccuracyCount] = id
    return [.askFullAccuracy(key: key, number: fullAccuracyCount, id: id)]
  }

  mutating func disconnect() {
    state.disconnect()
    askingFullAccuracy = [:]
  }

  // MARK: Changes

  mutating func change(_ apply: (inout AuthorizationState) -> Void) -> AuthorizationChange {
    let before = state
    apply(&state)
    return AuthorizationChange(before: before, after: state)
  }

  /// Handles the answer to a full-accuracy request; returns `nil` if a decision came before it.
  mutating func answerFullAccuracy(
    _ number: UInt64, _ id: UInt64, _ answer: FullAccuracyAnswer
  ) -> AuthorizationChange? {
    askingFullAccuracy[number] = nil
    if settledFullAccuracy.remove(number) != nil { return nil }
    var error: LocationError?
    var change = change { error = $0.answerFullAccuracy(number, answer) }
    change.completions = [.call(.didAnswerFullAccuracy(id: id, error))]
    if case .granted(let duration?) = answer, state.lease == number {
      change.timers = [.startTimer(.fullAccuracy(number), duration)]
    }
    return change
  }

  /// Handles an update that the policy sends without a request.
  mutating func take(_ update: AuthorizationUpdate) -> AuthorizationChange {
    var change = change { $0.take(update) }
    guard change.before.isReduced, !state.isReduced, state.granted.status.isAuthorized else {
      return change
    }
    // Full accuracy is granted, which answers all pending requests.
    let settled = askingFullAccuracy.sorted { $0.key < $1.key }
    askingFullAccuracy = [:]
    settledFullAccuracy.formUnion(settled.map(\.key))
    change.completions = settled.map { .call(.didAnswerFullAccuracy(id: $0.value, nil)) }
    return change
  }
}

/// A change of the authorization.
struct AuthorizationChange: Sendable {
  let before: AuthorizationState
  let after: AuthorizationState
  /// The completions of full-accuracy requests, which run before the delegate is notified.
  var completions: [LocationMachine.Action] = []
  var timers: [LocationMachine.Action] = []

  var old: Authorization { before.effective }
  var new: Authorization { after.effective }

  /// Whether the accuracy has become reduced.
  var isNarrowed: Bool { old.accuracy == .fullAccuracy && new.accuracy == .reducedAccuracy }

  /// Whether positions that the program has not received yet must be dropped.
  var dropsPositions: Bool {
    old.status.isAuthorized && (isNarrowed || !new.status.isAuthorized)
  }

  /// Whether the program learns from now on only a reduced reception.
  var beginsReducing: Bool {
    new.accuracy == .reducedAccuracy && (isNarrowed || !old.status.isAuthorized)
  }

  /// Whether reduced locations may be delivered from now on.
  var resumesReduced: Bool {
    after.mayDeliver && after.isReduced && (!before.mayDeliver || !before.isReduced)
  }

  /// Whether a grant was withdrawn or a request was refused; not from "denied" to "restricted".
  var isRefusal: Bool {
    !new.status.isAuthorized
      && (old.status.isAuthorized || old.status == .notDetermined && new.status.isRefused)
  }
}
