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
    if request.isLimited, !isExempt(key.identity.userID),
      !statusRequestLimit.take(from: ConnectionOwner(key.identity), at: now)
    {
      return refuse(id, .tooOften, now)
    }
    connections[id]?.client = key
    connections[id]?.session = session
    connections[id]?.request = request
    connections[id]?.deadline = nil
    connections[id]?.phase = .opening
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
      if connections[id]?.format.feed != nil {
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
    if !isExempt(key.identity.userID), clients[key]?.needsOperator(request) == true,
      !operatorRequestLimit.take(from: ConnectionOwner(key.identity), at: now)
    {
      return refuse(id, .tooOften, now)
    }
    var actions: [Action] = []
    if let activity = request.activity {
      actions.append(.note(key, .activityBegan(reason: activity)))
    }
    switch request.subject {
    case .status:
      connections[id]?.phase = .readingStatus
      return actions + [.readStatus(id)]
    case .metrics: return actions + beginMetrics(id, key, now)
    case .value(let value):
      connections[id]?.phase = .readingStatus
      return actions + beginValue(value, id, key, now)
    case .decision(let decision): return actions + decide(decision, id, key, now)
    case .webLink, .webEnd: return actions + refuse(id, .notFound, now)
    case .authorization(let daemonRequest):
      return actions + requestAuthorization(daemonRequest, id, key, now)
    case .events: return actions + startStream(id, key, request, now)
    case .location(let timeoutSeconds, _):
      if !request.waitsForDecision, let client = clients[key], let state = client.state,
        state.granted.status == .notDetermined, request.purpose == nil || client.waitsForOperator
      {
        return actions + refuse(id, clients.refusal(key, state), now)
      }
      connections[id]?.phase = .locating
      setDeadline(of: id, seconds: timeoutSeconds, now)
      actions += startUse(.oneShot, id, key)
      actions += requestWhenInUse(key, request)
      return actions + locate(id, key, now)
    }
  }

  /// Records that a connection starts to use locations.
  mutating func startUse(
    _ service: LocationServiceKind, _ id: ConnectionID, _ key: ServerClient.Key
  ) -> [Action] {
    connections[id]?.service = service
    return [.note(key, .started(service))]
  }

  /// Records that a connection has received its first location.
  mutating func noteFirstLocation(of id: ConnectionID, _ key: ServerClient.Key) -> [Action] {
    connections[id]?.service.map { [.note(key, .firstLocation($0))] } ?? []
  }

  private mutating func startStream(
    _ id: ConnectionID, _ key: ServerClient.Key, _ request: DaemonRequest, _ now: MonotonicTime
  ) -> [Action] {
    let requestActions = requestWhenInUse(key, request)
    guard let authorization = clients.authorization(of: key) else { return [] }
    connections[id]?.phase = .streaming
    // The stream ends with its session.
    let end = connections[id]?.session?.end
    connections[id]?.deadline = end
    connections[id]?.includesLocations = request.includesLocations
    var actions = request.includesLocations ? startUse(.updates, id, key) : []
    // The client's other streams are notified of the request too.
    actions += sendAuthorizationToStreams(of: key, now, but: id)
    var head = HTTPAnswer.stream(heartbeatSeconds: limits.heartbeatSeconds)
    if request.isPage { head += Array("id: 0\n".utf8) }
    connections[id]?.queue.append(
      .init(
        bytes: head + OutgoingQueue.Frame.event("AUTH", authorization.json),
        state: .authorization))
    actions += writeNext(id, now) + sendLatest(to: id, key, now)
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
    if state.granted.status.isRefused { return refuse(id, clients.refusal(key, state), now) }
    guard state.mayDeliver else { return [] }
    var fix: Fix?
    if state.isReduced {
      fix = latest.reduce(at: now).map { Fix($0) }
    } else {
      fix = latest.fresh(within: limits.freshSeconds, at: now)
    }
    let isCurrent = fix != nil
    if fix == nil, case .location(_, let maxAge?) = connections[id]?.request?.subject {
      fix = latest.last(within: Double(maxAge), isReduced: state.isReduced, at: now)
    }
    guard let fix else { return [] }
    connections[id]?.locationCount = 1
    var line = JSONLine(reservingCapacity: 512)
    line.appendTPV(fix, now: now, isLast: !isCurrent)
    return noteFirstLocation(of: id, key)
      + answer(id, HTTPAnswer.object(line.bytes), containsLocation: true, now)
  }

  /// Limits the time that a request waits, at most until its session ends.
  mutating func setDeadline(of id: ConnectionID, seconds: Int, _ now: MonotonicTime) {
    let timeout = now.advanced(bySeconds: Double(seconds))
    let end = connections[id]?.session?.end ?? timeout
    connections[id]?.deadline = min(timeout, end)
  }

  /// Responds to a connection whose deadline has passed.
  mutating func handleDeadline(
    of id: ConnectionID, _ connection: ServerConnection, _ now: MonotonicTime
  ) -> [Action] {
    if connection.phase != .streaming, let end = connection.session?.end, end <= now {
      return refuse(id, .noSession, now)
    }
    switch connection.phase {
    case .reading: return refuse(id, .slow, now)
    case .locating:
      guard let key = connection.client, let state = clients[key]?.state else { return [] }
      return refuse(id, state.mayDeliver ? .noFix : clients.refusal(key, state), now)
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
      connectionCount: connections.count, refusedCount: refusedCount,
      daemon: hasFullAccess || isOperator ? daemon.forFullAccuracy : daemon.forEverybody)
    // The operator's status does not depend on an authorization, so the response is never withdrawn.
    return answer(
      id, HTTPAnswer.object(status.json), containsLocation: hasFullAccess && !isOperator, now)
  }
}
