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
    guard connections[id]?.phase == .reading else { return [] }
    if request.isLimited, !connections.isExempt(key.identity.userID),
      !statusRequestLimit.take(from: ConnectionOwner(key.identity), at: now)
    {
      return connections.refuse(id, .tooOften, now)
    }
    connections[id]?.client = key
    connections[id]?.session = session
    connections[id]?.request = request
    connections.enter(.opening, id)
    let actions = clients.add(id, to: key)
    return clients[key]?.state == nil ? actions : actions + begin(id, key, request, now)
  }

  mutating func handlePolicyOpened(
    _ key: ServerClient.Key, _ state: AuthorizationState, _ operatorRequests: OperatorRequests,
    _ now: MonotonicTime
  ) -> [Action] {
    // All connections that were waiting for the policy may have closed meanwhile.
    guard let client = clients[key] else { return [.closePolicy(key)] }
    guard client.state == nil else { return [] }
    clients.open(key, state, operatorRequests)
    var actions: [Action] = []
    for id in client.connections {
      if connections[id]?.feed != nil {
        actions += beginFeed(id, key, now)
        continue
      }
      guard let connection = connections[id], connection.phase == .opening,
        let request = connection.request
      else { continue }
      actions += begin(id, key, request, now)
    }
    return actions
  }

  private mutating func begin(
    _ id: ConnectionID, _ key: ServerClient.Key, _ request: DaemonRequest, _ now: MonotonicTime
  ) -> [Action] {
    if !connections.isExempt(key.identity.userID), clients[key]?.needsOperator(request) == true,
      !operatorRequestLimit.take(from: ConnectionOwner(key.identity), at: now)
    {
      return connections.refuse(id, .tooOften, now)
    }
    var actions: [Action] = []
    if let activity = request.activity {
      actions.append(.note(key, .activityBegan(reason: activity)))
    }
    switch request.subject {
    case .status:
      connections.enter(.readingStatus, id)
      return actions + [.readStatus(id)]
    case .metrics: return actions + beginMetrics(id, key, now)
    case .value(let value):
      connections.enter(.readingStatus, id)
      return actions + beginValue(value, id, key, now)
    case .decision(let decision): return actions + decide(decision, id, key, now)
    case .webLink, .webEnd: return actions + connections.refuse(id, .notFound, now)
    case .authorization(let daemonRequest):
      return actions + requestAuthorization(daemonRequest, id, key, now)
    case .events: return actions + startStream(id, key, request, now)
    case .location(let timeoutSeconds, _):
      if !request.waitsForDecision, let client = clients[key], let state = client.state,
        state.granted.status == .notDetermined, request.purpose == nil || client.waitsForOperator
      {
        return actions + connections.refuse(id, clients.refusal(key, state), now)
      }
      connections.enter(
        .locating, id, until: connections.timeout(of: id, seconds: timeoutSeconds, now))
      actions += connections.startUse(.oneShot, of: id)
      actions += requestWhenInUse(key, request)
      return actions + locate(id, key, now)
    }
  }

  private mutating func startStream(
    _ id: ConnectionID, _ key: ServerClient.Key, _ request: DaemonRequest, _ now: MonotonicTime
  ) -> [Action] {
    let requestActions = requestWhenInUse(key, request)
    guard let authorization = clients.authorization(of: key) else { return [] }
    // The stream ends with its session.
    connections.enter(.streaming, id, until: connections[id]?.session?.end)
    connections[id]?.includesLocations = request.includesLocations
    var actions = request.includesLocations ? connections.startUse(.updates, of: id) : []
    // The client's other streams are notified of the request too.
    actions += sendAuthorizationToStreams(of: key, now, but: id)
    var head = HTTPAnswer.stream(heartbeatSeconds: connections.limits.heartbeatSeconds)
    if request.isPage { head += Array("id: 0\n".utf8) }
    let frame = OutgoingQueue.Frame(
      bytes: head + OutgoingQueue.Frame.event("AUTH", authorization.json), state: .authorization)
    actions += connections.send(frame, to: id, now) + sendLatest(to: id, key, now)
    if request.isPage, key.identity.isOperator { actions.append(.web(.readRequests(nil))) }
    return actions + requestActions
  }

  /// Requests authorization while in use if the client's authorization is not determined and its
  /// request has a purpose.
  private mutating func requestWhenInUse(
    _ key: ServerClient.Key, _ request: DaemonRequest
  ) -> [Action] {
    guard let purpose = request.purpose, clients[key]?.state?.granted.status == .notDetermined
    else { return [] }
    return clients.ask(.whenInUse, purpose: purpose, for: key).map { [$0.action] } ?? []
  }

  // MARK: One location

  /// Responds to a request for one location if a location is available or access is refused.
  mutating func locate(
    _ id: ConnectionID, _ key: ServerClient.Key, _ now: MonotonicTime
  ) -> [Action] {
    guard let state = clients[key]?.state, connections[id]?.phase == .locating else { return [] }
    if state.granted.status.isRefused {
      return connections.refuse(id, clients.refusal(key, state), now)
    }
    guard state.mayDeliver else { return [] }
    var fix: Fix?
    if state.isReduced {
      fix = latest.reduce(at: now).map { Fix($0) }
    } else {
      fix = latest.fresh(within: connections.limits.freshSeconds, at: now)
    }
    let isCurrent = fix != nil
    if fix == nil, case .location(_, let maxAge?) = connections[id]?.request?.subject {
      fix = latest.last(within: Double(maxAge), isReduced: state.isReduced, at: now)
    }
    guard let fix else { return [] }
    var line = JSONLine(reservingCapacity: 512)
    line.appendTPV(fix, now: now, isLast: !isCurrent)
    return connections.countLocation(of: id)
      + connections.answer(id, HTTPAnswer.object(line.bytes), containsLocation: true, now)
  }

  /// Responds to a connection whose deadline has passed.
  mutating func handleDeadline(
    of id: ConnectionID, _ now: MonotonicTime
  ) -> [Action] {
    guard let connection = connections[id] else { return [] }
    if connection.phase != .streaming, let end = connection.session?.end, end <= now {
      return connections.refuse(id, .noSession, now)
    }
    switch connection.phase {
    case .reading: return connections.refuse(id, .slow, now)
    case .locating:
      guard let key = connection.client, let state = clients[key]?.state else { return [] }
      return connections.refuse(id, state.mayDeliver ? .noFix : clients.refusal(key, state), now)
    case .asking, .askingFullAccuracy: return answerAuthorization(id, now)
    case .streaming: return [.abort(id)]
    case .opening, .readingStatus, .answering: return []
    }
  }

  // MARK: Status

  mutating func answerStatus(
    _ id: ConnectionID, _ daemon: ServerStatus, _ now: MonotonicTime
  ) -> [Action] {
    guard connections[id]?.phase == .readingStatus, let key = connections[id]?.client,
      let authorization = clients.authorization(of: key)
    else { return [] }
    if connections[id]?.request?.subject == .metrics { return answerMetrics(id, key, daemon, now) }
    let isOperator = key.identity.isOperator
    let hasFullAccess = clients.access(of: key) == .full
    let status = DaemonStatus(
      client: "\(key.identity)", authorization: authorization,
      connectionCount: connections.count, refusedCount: connections.refusedCount,
      daemon: hasFullAccess || isOperator ? daemon.forFullAccuracy : daemon.forEverybody)
    // The operator's status does not depend on an authorization, so the response is never withdrawn.
    return connections.answer(
      id, HTTPAnswer.object(status.json), containsLocation: hasFullAccess && !isOperator, now)
  }
}
