// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning

/// What a client asks to be allowed, and what becomes of a change.
extension ServerCore {
  mutating func ask(
    _ asked: DaemonAuthorizationRequest, _ id: ConnectionID, _ key: ServerClient.Key,
    _ now: MonotonicTime
  ) -> [Action] {
    let waits = asked.timeoutSeconds > 0
    if waits {
      connections[id]?.deadline = now.advanced(bySeconds: Double(asked.timeoutSeconds))
    }
    guard let request = asked.kind.request else { return askFullAccuracy(asked, id, key, now) }
    return ask(request, asked.purpose, id, key, waits: waits, now)
  }

  private mutating func ask(
    _ request: AuthorizationRequest, _ purpose: String, _ id: ConnectionID,
    _ key: ServerClient.Key, waits: Bool, _ now: MonotonicTime
  ) -> [Action] {
    if let number = clients[key]?.state?.ask(request, purpose: purpose) {
      connections[id]?.phase = .asking(number, waits: waits)
      return [.ask(key, request, purpose: purpose, number: number)] + tellStreams(of: key, now)
    }
    // Decided already, or asked by another connection of the same process.
    guard waits, let pending = clients[key]?.state?.pending else {
      return tellAuthorization(id, now)
    }
    connections[id]?.phase = .asking(pending.number, waits: true)
    return []
  }

  private mutating func askFullAccuracy(
    _ asked: DaemonAuthorizationRequest, _ id: ConnectionID, _ key: ServerClient.Key,
    _ now: MonotonicTime
  ) -> [Action] {
    guard let state = clients[key]?.state else { return [] }
    guard state.granted.status.isAuthorized else { return refuse(id, refusal(key, state), now) }
    guard state.isReduced else { return tellAuthorization(id, now) }
    if asked.timeoutSeconds == 0 {
      let usual = Double(DaemonRequest.usualTimeoutSeconds)
      connections[id]?.deadline = now.advanced(bySeconds: usual)
    }
    fullAccuracyCount &+= 1
    connections[id]?.phase = .askingFullAccuracy(fullAccuracyCount)
    return [.askFullAccuracy(id, key, purposeKey: asked.purpose, number: fullAccuracyCount)]
  }

  mutating func take(
    _ answer: AuthorizationAnswer, _ key: ServerClient.Key, _ number: UInt64, _ now: MonotonicTime
  ) -> [Action] {
    var actions = change(key, now) { $0.answer(number, answer) }
    // Whoever does not wait hears now what holds, be it that the request is pending.
    for (id, connection) in connections
    where connection.client == key && connection.phase == .asking(number, waits: false) {
      actions += tellAuthorization(id, now)
    }
    return actions
  }

  mutating func take(
    _ answer: FullAccuracyAnswer, _ key: ServerClient.Key, _ number: UInt64, _ now: MonotonicTime
  ) -> [Action] {
    var error: LocationError?
    var actions = change(key, now) { error = $0.answerFullAccuracy(number, answer) }
    if case .granted(let duration?) = answer, clients[key]?.state?.lease == number {
      let seconds = Double(duration.components.seconds)
      clients[key]?.lease = (number, now.advanced(bySeconds: seconds))
    }
    let asking = connections.first {
      $0.value.client == key && $0.value.phase == .askingFullAccuracy(number)
    }
    guard let id = asking?.key else { return actions }
    if error == nil { return actions + tellAuthorization(id, now) }
    actions += refuse(
      id,
      .notAuthorized(
        answer == .unknownPurpose
          ? "full accuracy has no such purpose" : "full accuracy was declined", advice: nil), now)
    return actions
  }

  mutating func tellAuthorization(_ id: ConnectionID, _ now: MonotonicTime) -> [Action] {
    guard let key = connections[id]?.client, let told = clients[key]?.authorization else {
      return []
    }
    return answer(id, HTTPAnswer.object(told.json), now)
  }

  // MARK: Changes

  /// Lets something happen to a client's authorization, and does what follows.
  ///
  /// What waits to be written goes before the change is told of, so that nothing comes after.
  mutating func change(
    _ key: ServerClient.Key, _ now: MonotonicTime, _ happen: (inout AuthorizationState) -> Void
  ) -> [Action] {
    guard let client = clients[key], let before = client.state else { return [] }
    var after = before
    happen(&after)
    clients[key]?.state = after
    if after.lease == nil { clients[key]?.lease = nil }
    let isNarrowed = !before.isReduced && after.isReduced
    let isWithdrawn = before.mayDeliver && !after.mayDeliver
    var actions: [Action] = []
    if isWithdrawn || (isNarrowed && before.mayDeliver) {
      actions += client.connections.flatMap { withdraw(from: $0) }
    }
    actions += tellStreams(of: key, now)
    let isWidened =
      after.mayDeliver && (!before.mayDeliver || before.isReduced != after.isReduced)
    for id in client.connections.sorted() {
      if isWidened, connections[id]?.phase == .streaming {
        actions += sendLatest(to: id, key, now)
      }
      actions += settle(id, key, after, now)
    }
    return actions
  }

  /// Nothing that tells where the board is may reach the client any more.
  private mutating func withdraw(from id: ConnectionID) -> [Action] {
    connections[id]?.queue.removeLocations()
    // A part of it may be with the kernel, and the rest must not follow: nor can anything else.
    guard connections[id]?.writing?.containsLocation == true else { return [] }
    return [.abort(id)]
  }

  /// Answers whoever waits for what has been decided now.
  private mutating func settle(
    _ id: ConnectionID, _ key: ServerClient.Key, _ state: AuthorizationState, _ now: MonotonicTime
  ) -> [Action] {
    switch connections[id]?.phase {
    case .locating: return locate(id, key, now)
    case .asking(_, waits: true) where state.pending == nil: return tellAuthorization(id, now)
    default: return []
    }
  }

  /// Tells the streams of a client what it may know, where that is news.
  mutating func tellStreams(
    of key: ServerClient.Key, _ now: MonotonicTime, but newID: ConnectionID? = nil
  ) -> [Action] {
    guard let client = clients[key], let told = client.authorization, told != client.told else {
      return []
    }
    clients[key]?.told = told
    let frame = OutgoingQueue.Frame(
      bytes: OutgoingQueue.Frame.event("AUTH", told.json), isAuthorization: true)
    var actions: [Action] = []
    for id in client.connections.sorted()
    where id != newID && connections[id]?.phase == .streaming {
      actions += send(frame, to: id, now)
    }
    return actions
  }
}

extension DaemonAuthorizationRequest.Kind {
  /// The request of the same name; `nil` for full accuracy for a while.
  var request: AuthorizationRequest? { AuthorizationRequest(rawValue: rawValue) }
}
