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
    let isNew = clients[key] == nil
    clients[key, default: ServerClient()].connections.insert(id)
    if isNew { return [.openPolicy(key, base: base(of: key.identity))] }
    return clients[key]?.state == nil ? [] : begin(id, key, request, now)
  }

  /// The authorization of a client if no rule or decision applies to it; `nil` if not determined.
  ///
  /// Programs that root or another trusted user runs in a shell need no decision: such a user could
  /// open the receiver directly, or make the decision.
  func base(of identity: ClientIdentity) -> AuthorizationStatus? {
    identity.isLogin && trustedUsers.contains(identity.userID) ? .authorizedAlways : nil
  }

  /// Whether a client is root in a login, who decides about requests and reads the full status and all
  /// metrics whatever the authorization is.
  ///
  /// A service or a container that runs as root could otherwise answer its own request.
  func isOperator(_ key: ServerClient.Key) -> Bool { key.identity.isOperator }

  mutating func handlePolicyOpened(
    _ key: ServerClient.Key, _ state: AuthorizationState, _ operatorRequests: OperatorRequests,
    _ now: MonotonicTime
  ) -> [Action] {
    // All connections that were waiting for the policy may have closed meanwhile.
    guard let client = clients[key] else { return [.closePolicy(key)] }
    guard client.state == nil else { return [] }
    clients[key]?.state = state
    clients[key]?.operatorRequests = operatorRequests
    var actions: [Action] = []
    for id in client.connections.sorted() {
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
    if !isExempt(key.identity.userID), needsOperator(request, key),
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
        return actions + refuse(id, refusal(key, state), now)
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

  /// Whether a request needs a decision of an operator, because no rule or earlier decision
  /// applies.
  private func needsOperator(_ request: DaemonRequest, _ key: ServerClient.Key) -> Bool {
    guard let client = clients[key], let state = client.state else { return false }
    switch request.subject {
    case .status, .metrics, .value, .decision, .webLink, .webEnd: return false
    case .authorization(let daemonRequest):
      guard let authorizationRequest = daemonRequest.kind.request else {
        return state.isReduced && client.operatorRequests.contains(.temporaryFull)
      }
      return client.needsOperator(authorizationRequest, state)
    case .location, .events:
      return request.purpose != nil && client.needsOperator(.whenInUse, state)
    }
  }

  private mutating func startStream(
    _ id: ConnectionID, _ key: ServerClient.Key, _ request: DaemonRequest, _ now: MonotonicTime
  ) -> [Action] {
    let requestActions = requestWhenInUse(key, request)
    guard let authorization = authorization(of: key) else { return [] }
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
    if request.isPage, mayDecide(key) { actions.append(.web(.readRequests(nil))) }
    return actions + requestActions
  }

  /// Requests authorization while in use if the client's authorization is not determined and its
  /// request has a purpose.
  private mutating func requestWhenInUse(
    _ key: ServerClient.Key, _ request: DaemonRequest
  ) -> [Action] {
    guard let purpose = request.purpose, let state = clients[key]?.state,
      state.granted.status == .notDetermined
    else { return [] }
    guard let number = clients[key]?.state?.ask(.whenInUse, purpose: purpose) else { return [] }
    return [.ask(key, .whenInUse, purpose: purpose, number: number)]
  }

  // MARK: One location

  /// Responds to a request for one location if a location is available or access is refused.
  mutating func locate(
    _ id: ConnectionID, _ key: ServerClient.Key, _ now: MonotonicTime
  ) -> [Action] {
    guard let state = clients[key]?.state, connections[id]?.phase == .locating else { return [] }
    if state.granted.status.isRefused { return refuse(id, refusal(key, state), now) }
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
      return refuse(id, state.mayDeliver ? .noFix : refusal(key, state), now)
    case .asking, .askingFullAccuracy: return answerAuthorization(id, now)
    case .streaming: return [.abort(id)]
    case .opening, .readingStatus, .answering: return []
    }
  }

  func refusal(_ key: ServerClient.Key, _ state: AuthorizationState) -> DaemonFault {
    let identity = key.identity
    // Only root can make decisions.
    let auth = (identity.userID == 0 ? [] : ["sudo"]) + ["fixcast", "auth"]
    let words = words(identity.evidence)
    let client = words.joined(separator: " ")
    let allow = command(auth + ["allow"] + words)
    switch state.granted.status {
    case .notDetermined:
      return .notDetermined(
        "location access for \(client) has not been decided yet",
        advice: "allow it with: \(allow)")
    case .restricted:
      let explain = command(auth + ["explain"] + words)
      return .notAuthorized(
        "location access for \(client) is locked by the administrator, "
          + "or the policy cannot be read",
        advice: "see: \(explain)")
    case .denied where state.isDeniedGlobally:
      return .notAuthorized(
        "location is switched off for the whole board",
        advice: "switch it on with: \(command(auth + ["reset", "everyone"]))")
    case .denied, .authorizedWhenInUse, .authorizedAlways:
      return .notAuthorized(
        "\(client) is not allowed to access the location", advice: "allow it with: \(allow)")
    }
  }

  // MARK: Status

  mutating func answerStatus(
    _ id: ConnectionID, _ daemon: ServerStatus, _ now: MonotonicTime
  ) -> [Action] {
    guard connections[id]?.phase == .readingStatus, let key = connections[id]?.client,
      let authorization = authorization(of: key)
    else { return [] }
    if connections[id]?.request?.subject == .metrics { return answerMetrics(id, key, daemon, now) }
    let isOperator = isOperator(key)
    let hasFullAccess = access(of: key) == .full
    let status = DaemonStatus(
      client: "\(key.identity)", authorization: authorization,
      connectionCount: connections.count, refusedCount: refusedCount,
      daemon: hasFullAccess || isOperator ? daemon.forFullAccuracy : daemon.forEverybody)
    // The operator's status does not depend on an authorization, so the response is never withdrawn.
    return answer(
      id, HTTPAnswer.object(status.json), containsLocation: hasFullAccess && !isOperator, now)
  }
}
