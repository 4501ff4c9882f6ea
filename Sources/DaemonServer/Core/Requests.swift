// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning
internal import SystemSupport

/// The requests over HTTP that are answered once: locations, values, the status, metrics,
/// authorization requests and decisions.
struct Requests: Sendable {
  typealias Action = ServerCore.Action
  typealias Key = ServerClient.Key

  // The purposes of requests that the policy answers without an operator.
  private static let valuePurpose = "Read the position, the satellites or the weather"
  private static let metricsPurpose = "Export metrics to Prometheus"

  private var operatorRequestLimit: RateLimit<ConnectionOwner>
  private var statusRequestLimit: RateLimit<ConnectionOwner>
  private var fullAccuracyCount: UInt64 = 0

  init(_ limits: ServerLimits) {
    operatorRequestLimit = RateLimit(
      burst: limits.operatorRequestsPerMinute,
      perSecond: Double(limits.operatorRequestsPerMinute) / 60)
    statusRequestLimit = RateLimit(
      burst: limits.statusBurst, perSecond: limits.statusRequestsPerSecond)
  }

  // MARK: Beginning

  mutating func handle(
    _ request: DaemonRequest, of id: UInt64, _ key: Key, _ session: WebSession?,
    _ server: inout ServerState, _ streams: inout EventStreams
  ) -> [Action] {
    guard server.connections[id]?.phase == .reading else { return [] }
    if request.isLimited, !server.connections.isExempt(key.identity.userID),
      !statusRequestLimit.take(from: ConnectionOwner(key.identity), at: server.now)
    {
      return server.refuse(id, .tooOften)
    }
    server.connections.accept(id, from: key, request: request, session: session)
    server.connections.enter(.opening, id)
    return server.clients.add(id, to: key) + begin(id, &server, &streams)
  }

  /// Begins to answer a request, if the policy of its client has been read.
  mutating func begin(
    _ id: UInt64, _ server: inout ServerState, _ streams: inout EventStreams
  ) -> [Action] {
    guard let connection = server.connections[id], connection.phase == .opening,
      let key = connection.client, let request = connection.request,
      let client = server.clients[key], let state = client.state
    else { return [] }
    if !server.connections.isExempt(key.identity.userID), client.needsOperator(request),
      !operatorRequestLimit.take(from: ConnectionOwner(key.identity), at: server.now)
    {
      return server.refuse(id, .tooOften)
    }
    let actions = request.activity.map { [Action.note(key, .activityBegan(reason: $0))] } ?? []
    switch request.subject {
    case .status:
      server.connections.enter(.readingStatus, id)
      return actions + [.readStatus(id)]
    case .metrics:
      return actions
        + (applyRules(id, key, purpose: Self.metricsPurpose, &server) ?? readMetrics(id, &server))
    case .value(let value):
      server.connections.enter(.readingStatus, id)
      let purpose = request.purpose ?? Self.valuePurpose
      return actions
        + (applyRules(id, key, purpose: purpose, &server) ?? answerValue(value, id, key, &server))
    case .decision(let decision): return actions + decide(decision, id, key, &server)
    case .webLink, .webSessions, .webEnd: return actions + server.refuse(id, .notFound)
    case .authorization(let daemonRequest):
      return actions + requestAuthorization(daemonRequest, id, key, &server, &streams)
    case .events:
      let asked = requestWhenInUse(key, request, &server)
      return actions + streams.start(id, key, request, &server) + asked
    case .location(let timeoutSeconds, _):
      if !request.waitsForDecision, state.granted.status == .notDetermined,
        request.purpose == nil || client.waitsForOperator
      {
        return actions + server.refuseAccess(id, key)
      }
      server.connections.enter(.locating, id, until: server.timeout(of: id, timeoutSeconds))
      return actions + server.connections.startUse(.oneShot, of: id)
        + requestWhenInUse(key, request, &server) + locate(id, key, &server)
    }
  }

  /// Requests authorization while in use if the client's authorization is not determined and its
  /// request has a purpose.
  private func requestWhenInUse(
    _ key: Key, _ request: DaemonRequest, _ server: inout ServerState
  ) -> [Action] {
    guard let purpose = request.purpose,
      server.clients[key]?.state?.granted.status == .notDetermined
    else { return [] }
    return server.clients.ask(.whenInUse, purpose: purpose, for: key).map { [$0.action] } ?? []
  }

  /// Applies the rules of the policy to a client; `nil` if there is no request to make.
  private func applyRules(
    _ id: UInt64, _ key: Key, purpose: String, _ server: inout ServerState
  ) -> [Action]? {
    guard let asked = server.clients.applyRules(purpose: purpose, to: key) else { return nil }
    let deadline = server.now.advanced(bySeconds: server.connections.limits.requestSeconds)
    server.connections.enter(.asking(asked.number, waits: false), id, until: deadline)
    return [asked.action]
  }

  /// Responds to a connection whose deadline has passed.
  func handleDeadline(of id: UInt64, _ server: inout ServerState) -> [Action] {
    guard let connection = server.connections[id] else { return [] }
    if connection.phase != .streaming, let end = connection.session?.end, end <= server.now {
      return server.refuse(id, .noSession)
    }
    switch connection.phase {
    case .reading: return server.refuse(id, .slow)
    case .locating:
      guard let key = connection.client, let state = server.clients[key]?.state else { return [] }
      return server.refuse(id, state.mayDeliver ? .noFix : server.clients.refusal(of: key))
    case .asking, .askingFullAccuracy: return answerAuthorization(id, &server)
    case .streaming: return [.abort(id)]
    case .opening, .readingStatus, .answering: return []
    }
  }

  // MARK: One location

  /// Responds to all requests that wait for a location.
  func locateAll(_ server: inout ServerState) -> [Action] {
    server.connections.ids { $0.phase == .locating }.flatMap { id in
      server.connections[id]?.client.map { locate(id, $0, &server) } ?? []
    }
  }

  /// Responds to a request for one location if a location is available or access is refused.
  private func locate(_ id: UInt64, _ key: Key, _ server: inout ServerState) -> [Action] {
    guard let state = server.clients[key]?.state, server.connections[id]?.phase == .locating
    else { return [] }
    if state.granted.status.isRefused { return server.refuseAccess(id, key) }
    var maxAge: Double?
    if case .location(_, let seconds?) = server.connections[id]?.request?.subject {
      maxAge = Double(seconds)
    }
    guard state.mayDeliver,
      let json = ServerValues.location(isReduced: state.isReduced, maxAge: maxAge, &server)
    else { return [] }
    return server.connections.countLocation(of: id)
      + server.answer(id, HTTPAnswer.object(json), containsLocation: true)
  }

  // MARK: Authorization

  private mutating func requestAuthorization(
    _ daemonRequest: DaemonAuthorizationRequest, _ id: UInt64, _ key: Key,
    _ server: inout ServerState, _ streams: inout EventStreams
  ) -> [Action] {
    guard let request = daemonRequest.kind.request else {
      return requestFullAccuracy(daemonRequest, id, key, &server)
    }
    let waits = daemonRequest.timeoutSeconds > 0
    let deadline = waits ? server.timeout(of: id, daemonRequest.timeoutSeconds) : nil
    if let asked = server.clients.ask(request, purpose: daemonRequest.purpose, for: key) {
      server.connections.enter(.asking(asked.number, waits: waits), id, until: deadline)
      return [asked.action] + streams.sendAuthorization(of: key, &server)
    }
    // The request is already decided, or was already made on another connection of the same
    // process.
    guard waits, let pending = server.clients[key]?.state?.pending else {
      return answerAuthorization(id, &server)
    }
    server.connections.enter(.asking(pending.number, waits: true), id, until: deadline)
    return []
  }

  private mutating func requestFullAccuracy(
    _ request: DaemonAuthorizationRequest, _ id: UInt64, _ key: Key, _ server: inout ServerState
  ) -> [Action] {
    guard let state = server.clients[key]?.state else { return [] }
    guard state.granted.status.isAuthorized else { return server.refuseAccess(id, key) }
    guard state.isReduced else { return answerAuthorization(id, &server) }
    let seconds = request.timeoutSeconds
    let deadline = server.timeout(
      of: id, seconds > 0 ? seconds : DaemonRequest.defaultTimeoutSeconds)
    fullAccuracyCount &+= 1
    server.connections.enter(.askingFullAccuracy(fullAccuracyCount), id, until: deadline)
    return [.askFullAccuracy(id, key, purposeKey: request.purpose, number: fullAccuracyCount)]
  }

  /// Responds to requests without a timeout, even if the decision is still pending.
  func handleAnswer(_ key: Key, _ number: UInt64, _ server: inout ServerState) -> [Action] {
    server.connections.ids { $0.client == key && $0.phase == .asking(number, waits: false) }
      .flatMap { answerAuthorization($0, &server) }
  }

  func handleFullAccuracyAnswer(
    _ answer: FullAccuracyAnswer, isGranted: Bool, _ key: Key, _ number: UInt64,
    _ server: inout ServerState
  ) -> [Action] {
    if case .granted(let duration?) = answer {
      let end = server.now.advanced(bySeconds: Double(duration.components.seconds))
      server.clients.setLease(of: key, number, end: end)
    }
    let asking = server.connections.ids {
      $0.client == key && $0.phase == .askingFullAccuracy(number)
    }
    guard let id = asking.first else { return [] }
    if isGranted { return answerAuthorization(id, &server) }
    return server.refuse(
      id,
      .notAuthorized(
        answer == .unknownPurpose
          ? "unknown purpose for full accuracy" : "the request for full accuracy was declined",
        advice: nil))
  }

  /// Responds to a connection that waits for a location or a decision, if one is available after the
  /// authorization of its client has changed.
  func handleChange(
    of id: UInt64, _ key: Key, _ state: AuthorizationState, _ server: inout ServerState
  ) -> [Action] {
    switch server.connections[id]?.phase {
    case .locating: return locate(id, key, &server)
    case .asking(_, waits: true) where state.pending == nil:
      return answerAuthorization(id, &server)
    default: return []
    }
  }

  private func answerAuthorization(_ id: UInt64, _ server: inout ServerState) -> [Action] {
    guard let key = server.connections[id]?.client,
      let authorization = server.clients.authorization(of: key)
    else { return [] }
    switch server.connections[id]?.request?.subject {
    case .metrics: return readMetrics(id, &server)
    case .value(let value):
      server.connections.enter(.readingStatus, id)
      return answerValue(value, id, key, &server)
    default: return server.answer(id, HTTPAnswer.object(authorization.json))
    }
  }

  // MARK: Values

  private func answerValue(
    _ value: DaemonValue, _ id: UInt64, _ key: Key, _ server: inout ServerState
  ) -> [Action] {
    let access = server.access(of: key)
    switch value {
    case .page:
      let line = StateLine(
        access, server.latest,
        advice: access == .nothing ? server.clients.refusal(of: key).advice : nil, at: server.now)
      return server.answer(
        id, HTTPAnswer.document(WebPage.index(state: "\(line)")), containsLocation: access == .full)
    case .authorization:
      if key.identity.isOperator { return [.web(.readRequests(id))] }
      return answerRole(id, key, requests: nil, &server)
    case _ where access == .nothing: return server.refuseAccess(id, key)
    case .places:
      guard let coordinate = ServerValues.coordinate(for: access, &server) else {
        return server.refuse(id, .noLastFix)
      }
      server.connections.enter(.readingStatus, id)
      return [.web(.readPlaces(id, coordinate))]
    case .lastLocation, .sky, .track, .weather, .forecast:
      do throws(DaemonFault) {
        return answerLocation(try ServerValues.object(value, for: access, &server), id, &server)
      } catch {
        return server.refuse(id, error)
      }
    }
  }

  /// Responds with an object that reveals the position, and records the use.
  private func answerLocation(
    _ json: [UInt8], _ id: UInt64, _ server: inout ServerState
  ) -> [Action] {
    server.connections.startUse(.oneShot, of: id) + server.connections.countLocation(of: id)
      + server.answer(id, HTTPAnswer.object(json), containsLocation: true)
  }

  /// Responds with the nearest places, which the daemon has found meanwhile.
  func answerPlaces(
    _ id: UInt64, _ coordinate: Coordinate, _ json: [UInt8], _ server: inout ServerState
  ) -> [Action] {
    guard server.connections[id]?.phase == .readingStatus, let key = server.connections[id]?.client
    else { return [] }
    // The access may have been reduced or withdrawn meanwhile.
    switch server.access(of: key) {
    case .nothing: return server.refuseAccess(id, key)
    case .reduced where coordinate != server.latest.reduced?.coordinate:
      return answerValue(.places, id, key, &server)
    case .reduced, .full: return answerLocation(json, id, &server)
    }
  }

  // MARK: Status and metrics

  private func readMetrics(_ id: UInt64, _ server: inout ServerState) -> [Action] {
    server.connections.enter(.readingStatus, id)
    return [.readMetrics(id)]
  }

  func answerStatus(_ id: UInt64, _ daemon: ServerStatus, _ server: inout ServerState) -> [Action] {
    guard server.connections[id]?.phase == .readingStatus, let key = server.connections[id]?.client,
      let authorization = server.clients.authorization(of: key)
    else { return [] }
    // An operator reads everything whatever the authorization is, so the response is never withdrawn.
    let isOperator = key.identity.isOperator
    let hasFullAccess = server.access(of: key) == .full
    if server.connections[id]?.request?.subject == .metrics {
      return answerMetrics(id, key, daemon, isOperator: isOperator, hasFullAccess, &server)
    }
    let status = DaemonStatus(
      client: "\(key.identity)", authorization: authorization,
      connectionCount: server.connections.count, refusedCount: server.connections.refusedCount,
      daemon: hasFullAccess || isOperator ? daemon.forFullAccuracy : daemon.forEverybody)
    return server.answer(
      id, HTTPAnswer.object(status.json), containsLocation: hasFullAccess && !isOperator)
  }

  /// Responds with the daemon's metrics, and with those of the server if the client may read them.
  private func answerMetrics(
    _ id: UInt64, _ key: Key, _ daemon: ServerStatus, isOperator: Bool, _ hasFullAccess: Bool,
    _ server: inout ServerState
  ) -> [Action] {
    guard hasFullAccess || isOperator else {
      var text = PrometheusText(daemon.forEverybody)
      let advice = server.access(of: key) == .nothing ? server.clients.refusal(of: key).advice : nil
      text.addComment(
        "clients without full accuracy get only these metrics" + (advice.map { "; \($0)" } ?? ""))
      return server.answer(id, HTTPAnswer.metrics(text))
    }
    var text = PrometheusText(daemon.forFullAccuracy)
    ServerMetrics.add(server, to: &text)
    let hasPosition =
      daemon.includesPosition && hasFullAccess && ServerMetrics.addPosition(server, to: &text)
    let use =
      hasPosition
      ? server.connections.startUse(.oneShot, of: id) + server.connections.countLocation(of: id)
      : []
    return use
      + server.answer(
        id, HTTPAnswer.metrics(text),
        containsLocation: hasPosition || (hasFullAccess && !isOperator))
  }

  // MARK: Decisions

  private func decide(
    _ decision: DaemonDecision, _ id: UInt64, _ key: Key, _ server: inout ServerState
  ) -> [Action] {
    // Only an operator decides. A service or a container that runs as root could otherwise answer
    // its own request.
    guard key.identity.isOperator else {
      let isRoot = key.identity.userID == 0
      return server.refuse(id, isRoot ? .mayNotDecideInUnit : .mayNotDecide)
    }
    guard let number = UInt64(decision.request) else { return server.refuse(id, .noRequest) }
    server.connections.enter(.readingStatus, id)
    let reason =
      server.connections[id]?.session.map { "web session \($0.number), link created by root" }
      ?? "status page through the daemon's socket"
    return [.web(.decide(id, number, decision, by: key.identity.userID, reason: reason))]
  }

  /// Responds to a decision with the requests that wait, or with the reason why it was not recorded.
  func handleDecided(_ id: UInt64, _ fault: DaemonFault?, _ server: inout ServerState) -> [Action] {
    guard server.connections[id]?.phase == .readingStatus else { return [] }
    return fault.map { server.refuse(id, $0) } ?? [.web(.readRequests(id))]
  }

  /// Responds with the requests that wait, as a JSON array.
  func answerRequests(_ id: UInt64, _ json: [UInt8], _ server: inout ServerState) -> [Action] {
    guard let key = server.connections[id]?.client, server.connections[id]?.phase == .readingStatus
    else { return [] }
    return answerRole(id, key, requests: json, &server)
  }

  /// Responds with the authorization and the role of a client, and with the requests that wait if the
  /// client may decide.
  private func answerRole(
    _ id: UInt64, _ key: Key, requests: [UInt8]?, _ server: inout ServerState
  ) -> [Action] {
    guard let authorization = server.clients.authorization(of: key) else { return [] }
    var json = Array(authorization.json.dropLast(2))
    json += Array(#","role":"\#(requests == nil ? "look" : "decide")""#.utf8)
    if let requests { json += Array(#","requests":"#.utf8) + requests }
    return server.answer(id, HTTPAnswer.object(json + Array("}\n".utf8)))
  }
}
