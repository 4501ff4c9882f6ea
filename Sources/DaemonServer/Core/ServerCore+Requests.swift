// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning
internal import SystemSupport

/// The part of the core that handles requests.
extension ServerCore {
  mutating func handleRequest(
    _ request: DaemonRequest, of id: ConnectionID, _ key: ServerClient.Key, _ session: WebSession?,
    _ now: MonotonicTime
  ) -> [Action] {
    guard server.connections[id]?.phase == .reading else { return [] }
    if request.isLimited, !server.connections.isExempt(key.identity.userID),
      !statusRequestLimit.take(from: ConnectionOwner(key.identity), at: now)
    {
      return server.connections.refuse(id, .tooOften, now)
    }
    server.connections.accept(id, from: key, request: request, session: session)
    server.connections.enter(.opening, id)
    let actions = server.clients.add(id, to: key)
    return server.clients[key]?.state == nil ? actions : actions + begin(id, key, request, now)
  }

  mutating func handlePolicyOpened(
    _ key: ServerClient.Key, _ state: AuthorizationState, _ operatorRequests: OperatorRequests,
    _ now: MonotonicTime
  ) -> [Action] {
    // All connections that were waiting for the policy may have closed meanwhile.
    guard let client = server.clients[key] else { return [.closePolicy(key)] }
    guard client.state == nil else { return [] }
    server.clients.open(key, state, operatorRequests)
    var actions: [Action] = []
    for id in client.connections {
      if server.connections[id]?.feed != nil {
        actions += feeds.begin(id, &server)
        continue
      }
      guard let connection = server.connections[id], connection.phase == .opening,
        let request = connection.request
      else { continue }
      actions += begin(id, key, request, now)
    }
    return actions
  }

  private mutating func begin(
    _ id: ConnectionID, _ key: ServerClient.Key, _ request: DaemonRequest, _ now: MonotonicTime
  ) -> [Action] {
    if !server.connections.isExempt(key.identity.userID),
      server.clients[key]?.needsOperator(request) == true,
      !operatorRequestLimit.take(from: ConnectionOwner(key.identity), at: now)
    {
      return server.connections.refuse(id, .tooOften, now)
    }
    var actions: [Action] = []
    if let activity = request.activity {
      actions.append(.note(key, .activityBegan(reason: activity)))
    }
    switch request.subject {
    case .status:
      server.connections.enter(.readingStatus, id)
      return actions + [.readStatus(id)]
    case .metrics: return actions + beginMetrics(id, key, now)
    case .value(let value):
      server.connections.enter(.readingStatus, id)
      return actions + beginValue(value, id, key, now)
    case .decision(let decision): return actions + decide(decision, id, key, now)
    case .webLink, .webEnd: return actions + server.connections.refuse(id, .notFound, now)
    case .authorization(let daemonRequest):
      return actions + requestAuthorization(daemonRequest, id, key, now)
    case .events:
      let asked = requestWhenInUse(key, request)
      return actions + streams.start(id, key, request, &server) + asked
    case .location(let timeoutSeconds, _):
      if !request.waitsForDecision, let client = server.clients[key], let state = client.state,
        state.granted.status == .notDetermined, request.purpose == nil || client.waitsForOperator
      {
        return actions + server.connections.refuse(id, server.clients.refusal(key, state), now)
      }
      server.connections.enter(
        .locating, id, until: server.connections.timeout(of: id, seconds: timeoutSeconds, now))
      actions += server.connections.startUse(.oneShot, of: id)
      actions += requestWhenInUse(key, request)
      return actions + locate(id, key, now)
    }
  }

  /// Requests authorization while in use if the client's authorization is not determined and its
  /// request has a purpose.
  private mutating func requestWhenInUse(
    _ key: ServerClient.Key, _ request: DaemonRequest
  ) -> [Action] {
    guard let purpose = request.purpose,
      server.clients[key]?.state?.granted.status == .notDetermined
    else { return [] }
    return server.clients.ask(.whenInUse, purpose: purpose, for: key).map { [$0.action] } ?? []
  }

  // MARK: One location

  /// Responds to all requests that wait for a location.
  mutating func locateAll(_ now: MonotonicTime) -> [Action] {
    server.connections.ids { $0.phase == .locating }.flatMap { id in
      server.connections[id]?.client.map { locate(id, $0, now) } ?? []
    }
  }

  /// Responds to a request for one location if a location is available or access is refused.
  mutating func locate(
    _ id: ConnectionID, _ key: ServerClient.Key, _ now: MonotonicTime
  ) -> [Action] {
    guard let state = server.clients[key]?.state, server.connections[id]?.phase == .locating else {
      return []
    }
    if state.granted.status.isRefused {
      return server.connections.refuse(id, server.clients.refusal(key, state), now)
    }
    var maxAge: Double?
    if case .location(_, let seconds?) = server.connections[id]?.request?.subject {
      maxAge = Double(seconds)
    }
    guard state.mayDeliver,
      let json = ServerValues.location(isReduced: state.isReduced, maxAge: maxAge, &server)
    else { return [] }
    return server.connections.countLocation(of: id)
      + server.connections.answer(id, HTTPAnswer.object(json), containsLocation: true, now)
  }

  /// Responds to a connection whose deadline has passed.
  mutating func handleDeadline(of id: ConnectionID, _ now: MonotonicTime) -> [Action] {
    guard let connection = server.connections[id] else { return [] }
    if connection.phase != .streaming, let end = connection.session?.end, end <= now {
      return server.connections.refuse(id, .noSession, now)
    }
    switch connection.phase {
    case .reading: return server.connections.refuse(id, .slow, now)
    case .locating:
      guard let key = connection.client, let state = server.clients[key]?.state else { return [] }
      return server.connections.refuse(
        id, state.mayDeliver ? .noFix : server.clients.refusal(key, state), now)
    case .asking, .askingFullAccuracy: return answerAuthorization(id, now)
    case .streaming: return [.abort(id)]
    case .opening, .readingStatus, .answering: return []
    }
  }

  // MARK: Status

  mutating func answerStatus(
    _ id: ConnectionID, _ daemon: ServerStatus, _ now: MonotonicTime
  ) -> [Action] {
    guard server.connections[id]?.phase == .readingStatus, let key = server.connections[id]?.client,
      let authorization = server.clients.authorization(of: key)
    else { return [] }
    if server.connections[id]?.request?.subject == .metrics {
      return answerMetrics(id, key, daemon, now)
    }
    let isOperator = key.identity.isOperator
    let hasFullAccess = server.clients.access(of: key) == .full
    let status = DaemonStatus(
      client: "\(key.identity)", authorization: authorization,
      connectionCount: server.connections.count, refusedCount: server.connections.refusedCount,
      daemon: hasFullAccess || isOperator ? daemon.forFullAccuracy : daemon.forEverybody)
    // The operator's status does not depend on an authorization, so the response is never withdrawn.
    return server.connections.answer(
      id, HTTPAnswer.object(status.json), containsLocation: hasFullAccess && !isOperator, now)
  }
}
