// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning
internal import SystemSupport

/// What becomes of a request.
extension ServerCore {
  mutating func take(
    _ request: DaemonRequest, of id: ConnectionID, _ key: ServerClient.Key, _ now: MonotonicTime
  ) -> [Action] {
    guard let owner = connections[id]?.owner, connections[id]?.phase == .reading else { return [] }
    if case .status = request.subject, !isExempt(owner.userID),
      !statusRequests.take(from: owner, at: now)
    {
      return refuse(id, .tooOften, now)
    }
    connections[id]?.client = key
    connections[id]?.request = request
    connections[id]?.deadline = nil
    connections[id]?.phase = .opening
    let isNew = clients[key] == nil
    clients[key, default: ServerClient()].connections.insert(id)
    if isNew { return [.openPolicy(key, base: base(of: key.identity))] }
    return clients[key]?.state == nil ? [] : begin(id, key, request, now)
  }

  /// Somebody with a shell as root could open the receiver, or answer for themselves: running a
  /// program is their answer, while nobody has said anything else.
  private func base(of identity: ClientIdentity) -> AuthorizationStatus? {
    identity.systemUnit == nil && trustedUsers.contains(identity.userID) ? .authorizedAlways : nil
  }

  mutating func opened(
    _ key: ServerClient.Key, _ state: AuthorizationState, _ asksOperator: OperatorRequests,
    _ now: MonotonicTime
  ) -> [Action] {
    // All who waited for it may have gone.
    guard let client = clients[key] else { return [.closePolicy(key)] }
    guard client.state == nil else { return [] }
    clients[key]?.state = state
    clients[key]?.operatorRequests = asksOperator
    var actions: [Action] = []
    for id in client.connections.sorted() {
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
    if let owner = connections[id]?.owner, !isExempt(owner.userID), asksOperator(request, key),
      !operatorRequests.take(from: owner, at: now)
    {
      return refuse(id, .tooOften, now)
    }
    var actions: [Action] = []
    if let activity = request.activity {
      actions.append(.note(key, .activityBegan(reason: activity)))
    }
    switch request.subject {
    case .status:
      connections[id]?.phase = .asksStatus
      return actions + [.readStatus(id)]
    case .authorization(let asked): return actions + ask(asked, id, key, now)
    case .events: return actions + stream(id, key, request, now)
    case .location(let timeoutSeconds):
      connections[id]?.phase = .locating
      connections[id]?.deadline = now.advanced(bySeconds: Double(timeoutSeconds))
      actions += start(.oneShot, id, key)
      actions += askOnTheWay(key, request)
      return actions + locate(id, key, now)
    }
  }

  /// Begins to use locations, which the policy is told.
  private mutating func start(
    _ service: LocationServiceKind, _ id: ConnectionID, _ key: ServerClient.Key
  ) -> [Action] {
    connections[id]?.service = service
    return [.note(key, .started(service))]
  }

  /// Tells the policy of the first location.
  mutating func noteFirstLocation(of id: ConnectionID, _ key: ServerClient.Key) -> [Action] {
    connections[id]?.service.map { [.note(key, .firstLocation($0))] } ?? []
  }

  /// Whether an operator would be asked, since neither a rule nor an answer decides.
  private func asksOperator(_ request: DaemonRequest, _ key: ServerClient.Key) -> Bool {
    guard let client = clients[key], let state = client.state else { return false }
    switch request.subject {
    case .status: return false
    case .authorization(let asked):
      guard let wanted = asked.kind.request else {
        return state.isReduced && client.operatorRequests.contains(.temporaryFull)
      }
      return client.asksOperator(wanted, state)
    case .location, .events:
      return request.purpose != nil && client.asksOperator(.whenInUse, state)
    }
  }

  private mutating func stream(
    _ id: ConnectionID, _ key: ServerClient.Key, _ request: DaemonRequest, _ now: MonotonicTime
  ) -> [Action] {
    let asks = askOnTheWay(key, request)
    guard let authorization = clients[key]?.authorization else { return [] }
    connections[id]?.phase = .streaming
    connections[id]?.tellsLocations = request.tellsLocations
    var actions = request.tellsLocations ? start(.updates, id, key) : []
    // Streams of the same process that were there before hear of it too.
    actions += tellStreams(of: key, now, but: id)
    let head = HTTPAnswer.stream(heartbeatSeconds: limits.heartbeatSeconds)
    connections[id]?.queue.append(
      .init(
        bytes: head + OutgoingQueue.Frame.event("AUTH", authorization.json),
        isAuthorization: true))
    actions += writeOn(id, now) + sendLatest(to: id, key, now)
    return actions + asks
  }

  /// Asks to know while in use for a client that connects with a purpose and was never decided on.
  private mutating func askOnTheWay(
    _ key: ServerClient.Key, _ request: DaemonRequest
  ) -> [Action] {
    guard let purpose = request.purpose, let state = clients[key]?.state,
      state.granted.status == .notDetermined
    else { return [] }
    guard let number = clients[key]?.state?.ask(.whenInUse, purpose: purpose) else { return [] }
    return [.ask(key, .whenInUse, purpose: purpose, number: number)]
  }

  // MARK: One location

  /// Answers a request for one location, where it can be answered by now.
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
    guard let fix else { return [] }
    connections[id]?.locationCount = 1
    var line = JSONLine(reservingCapacity: 512)
    line.appendTPV(fix, now: now)
    return noteFirstLocation(of: id, key)
      + answer(id, HTTPAnswer.object(line.bytes), containsLocation: true, now)
  }

  /// What is said to somebody whose wait is over.
  mutating func endWait(
    of id: ConnectionID, _ connection: ServerConnection, _ now: MonotonicTime
  ) -> [Action] {
    switch connection.phase {
    case .reading: return refuse(id, .slow, now)
    case .locating:
      guard let key = connection.client, let state = clients[key]?.state else { return [] }
      return refuse(id, state.mayDeliver ? .noFix : refusal(key, state), now)
    case .asking, .askingFullAccuracy: return tellAuthorization(id, now)
    case .opening, .asksStatus, .streaming, .answering: return []
    }
  }

  func refusal(_ key: ServerClient.Key, _ state: AuthorizationState) -> DaemonFault {
    let who = key.identity
    // Answers are root's to give.
    let auth = (who.userID == 0 ? [] : ["sudo"]) + ["fixcast", "auth"]
    let allow = command(auth + ["allow"] + who.evidence.words)
    switch state.granted.status {
    case .notDetermined:
      return .notDetermined(
        "nobody has decided whether \(who) may know where the board is",
        advice: "allow it with: \(allow)")
    case .restricted:
      let explain = command(auth + ["explain"] + who.evidence.words)
      return .notAuthorized(
        "\(who) is locked out by the administrator, or the policy cannot be read",
        advice: "see: \(explain)")
    case .denied where state.isDeniedGlobally:
      return .notAuthorized(
        "location is switched off for the whole board",
        advice: "switch it on with: \(command(auth + ["reset", "everyone"]))")
    case .denied, .authorizedWhenInUse, .authorizedAlways:
      return .notAuthorized(
        "\(who) may not know where the board is", advice: "allow it with: \(allow)")
    }
  }

  // MARK: Status

  mutating func tellStatus(
    _ id: ConnectionID, _ daemon: ServerStatus, _ now: MonotonicTime
  ) -> [Action] {
    guard connections[id]?.phase == .asksStatus, let key = connections[id]?.client,
      let authorization = clients[key]?.authorization
    else { return [] }
    let isRoot = key.identity.userID == 0
    let mayKnow = reach(of: key) == .full
    let status = DaemonStatus(
      client: "\(key.identity)", authorization: authorization,
      connectionCount: connections.count, refusedCount: refusedCount,
      daemon: mayKnow || isRoot ? daemon.forFullAccuracy : daemon.forEverybody)
    // What root reads as root does not go with an authorization.
    return answer(id, HTTPAnswer.object(status.json), containsLocation: mayKnow && !isRoot, now)
  }
}
