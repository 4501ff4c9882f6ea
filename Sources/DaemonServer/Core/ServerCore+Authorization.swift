// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning

/// Authorization requests of clients, and changes of their authorization.
extension ServerCore {
  mutating func requestAuthorization(
    _ daemonRequest: DaemonAuthorizationRequest, _ id: ConnectionID, _ key: ServerClient.Key,
    _ now: MonotonicTime
  ) -> [Action] {
    let seconds = daemonRequest.timeoutSeconds
    guard let request = daemonRequest.kind.request else {
      return requestFullAccuracy(daemonRequest, id, key, now)
    }
    let deadline = seconds > 0 ? server.connections.timeout(of: id, seconds: seconds, now) : nil
    if let asked = server.clients.ask(request, purpose: daemonRequest.purpose, for: key) {
      server.connections.enter(.asking(asked.number, waits: seconds > 0), id, until: deadline)
      return [asked.action] + streams.sendAuthorization(of: key, &server)
    }
    // The request is already decided, or was already made on another connection of the same
    // process.
    guard seconds > 0, let pending = server.clients[key]?.state?.pending else {
      return answerAuthorization(id, now)
    }
    server.connections.enter(.asking(pending.number, waits: true), id, until: deadline)
    return []
  }

  private mutating func requestFullAccuracy(
    _ daemonRequest: DaemonAuthorizationRequest, _ id: ConnectionID, _ key: ServerClient.Key,
    _ now: MonotonicTime
  ) -> [Action] {
    guard let state = server.clients[key]?.state else { return [] }
    guard state.granted.status.isAuthorized else {
      return server.connections.refuse(id, server.clients.refusal(key, state), now)
    }
    guard state.isReduced else { return answerAuthorization(id, now) }
    let seconds = daemonRequest.timeoutSeconds
    let deadline = server.connections.timeout(
      of: id, seconds: seconds > 0 ? seconds : DaemonRequest.defaultTimeoutSeconds, now)
    fullAccuracyCount &+= 1
    server.connections.enter(.askingFullAccuracy(fullAccuracyCount), id, until: deadline)
    return [.askFullAccuracy(id, key, purposeKey: daemonRequest.purpose, number: fullAccuracyCount)]
  }

  mutating func handleAnswer(
    _ answer: AuthorizationAnswer, _ key: ServerClient.Key, _ number: UInt64, _ now: MonotonicTime
  ) -> [Action] {
    var actions = change(key, now) { $0.answer(number, answer) }
    // Respond now to requests without a timeout, even if the decision is still pending.
    for id in server.connections.ids(where: {
      $0.client == key && $0.phase == .asking(number, waits: false)
    }) {
      actions += answerAuthorization(id, now)
    }
    return actions
  }

  mutating func handleFullAccuracyAnswer(
    _ answer: FullAccuracyAnswer, _ key: ServerClient.Key, _ number: UInt64, _ now: MonotonicTime
  ) -> [Action] {
    var error: LocationError?
    var actions = change(key, now) { error = $0.answerFullAccuracy(number, answer) }
    if case .granted(let duration?) = answer {
      let end = now.advanced(bySeconds: Double(duration.components.seconds))
      server.clients.setLease(of: key, number, end: end)
    }
    let asking = server.connections.ids {
      $0.client == key && $0.phase == .askingFullAccuracy(number)
    }
    guard let id = asking.first else { return actions }
    if error == nil { return actions + answerAuthorization(id, now) }
    actions += server.connections.refuse(
      id,
      .notAuthorized(
        answer == .unknownPurpose
          ? "unknown purpose for full accuracy" : "the request for full accuracy was declined",
        advice: nil), now)
    return actions
  }

  mutating func answerAuthorization(_ id: ConnectionID, _ now: MonotonicTime) -> [Action] {
    guard let key = server.connections[id]?.client,
      let authorization = server.clients.authorization(of: key)
    else { return [] }
    switch server.connections[id]?.request?.subject {
    case .metrics: return readMetrics(id)
    case .value(let value):
      server.connections.enter(.readingStatus, id)
      return answerValue(value, id, key, now)
    default: break
    }
    return server.connections.answer(id, HTTPAnswer.object(authorization.json), now)
  }

  // MARK: Changes

  /// Changes a client's authorization, and updates its connections.
  ///
  /// If the change withdraws access, queued locations are discarded before the client is notified.
  mutating func change(
    _ key: ServerClient.Key, _ now: MonotonicTime, _ update: (inout AuthorizationState) -> Void
  ) -> [Action] {
    guard let change = server.clients.change(key, update), let client = server.clients[key] else {
      return []
    }
    var actions: [Action] = []
    if change.isNarrowed {
      actions += client.connections.flatMap { server.connections.withdraw(from: $0) }
    }
    actions += streams.sendAuthorization(of: key, &server)
    for id in client.connections {
      if change.isWidened { actions += streams.sendLatest(to: id, &server) }
      actions += settle(id, key, change.after, now)
      feeds.scheduleReport(of: id, server)
    }
    return actions
  }

  /// Responds to a connection that is waiting for a location or a decision, if one is available.
  private mutating func settle(
    _ id: ConnectionID, _ key: ServerClient.Key, _ state: AuthorizationState, _ now: MonotonicTime
  ) -> [Action] {
    switch server.connections[id]?.phase {
    case .locating: return locate(id, key, now)
    case .asking(_, waits: true) where state.pending == nil: return answerAuthorization(id, now)
    default: return []
    }
  }
}
