// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning
internal import SystemSupport

/// Decides who is told what: events in, actions out.
///
/// No socket, no clock, no file. `SocketServer` runs it. Whatever is written has been through here
/// after the last word on the client's authorization, and one write at a time is with the socket:
/// what a client may not know any more is taken out of its queue, and a connection whose last write
/// the kernel has not taken yet is cut.
struct ServerCore: Sendable {
  typealias ConnectionID = UInt64

  enum Event: Sendable {
    /// Somebody has been taken in.
    case connected(ConnectionID)
    /// The request has come.
    case requested(ConnectionID, DaemonRequest, PeerEvidence)
    /// The request cannot be served.
    case failed(ConnectionID, DaemonFault)
    case closed(ConnectionID)
    /// The kernel has taken what was written last.
    case written(ConnectionID)
    case policyOpened(
      ServerClient.Key, Authorization, isDeniedGlobally: Bool, asksOperator: OperatorRequests)
    case policy(ServerClient.Key, AuthorizationUpdate)
    case answered(ServerClient.Key, UInt64, AuthorizationAnswer)
    case answeredFullAccuracy(ServerClient.Key, UInt64, FullAccuracyAnswer)
    /// How the daemon is.
    case status(ConnectionID, ServerStatus)
    case said(ServerEvent)
    /// ``nextDeadline`` has come.
    case timeOver
  }

  enum Action: Equatable, Sendable {
    case write(ConnectionID, [UInt8])
    /// All that was written is with the kernel: it can be closed.
    case close(ConnectionID)
    /// At once, with what the kernel has not taken yet.
    case abort(ConnectionID)
    case openPolicy(ServerClient.Key, base: AuthorizationStatus?)
    case closePolicy(ServerClient.Key)
    case ask(ServerClient.Key, AuthorizationRequest, purpose: String, number: UInt64)
    /// Taken back when the connection closes.
    case askFullAccuracy(
      ConnectionID, ServerClient.Key, purposeKey: String, number: UInt64)
    case note(ServerClient.Key, ServiceUse)
    case readStatus(ConnectionID)
  }

  let limits: ServerLimits
  /// The user that the daemon runs as.
  let ownUser: UInt32
  /// Users who ask for themselves by running a program in a shell, unless something is said.
  let trustedUsers: Set<UInt32>
  /// A command line for people.
  let command: @Sendable ([String]) -> String

  var connections: [ConnectionID: ServerConnection] = [:]
  var clients: [ServerClient.Key: ServerClient] = [:]
  private(set) var ownerCounts: [ConnectionOwner: Int] = [:]
  var refusedCount = 0
  var operatorRequests: RateLimit<ConnectionOwner>
  var statusRequests: RateLimit<ConnectionOwner>
  var fullAccuracyCount: UInt64 = 0

  /// The newest of each kind, for those who come later.
  var latest = ServerLatest()

  init(
    limits: ServerLimits = ServerLimits(), ownUser: UInt32, trustedUsers: Set<UInt32> = [0],
    command: @escaping @Sendable ([String]) -> String = { $0.joined(separator: " ") }
  ) {
    self.limits = limits
    operatorRequests = RateLimit(
      burst: limits.operatorRequestsPerMinute,
      perSecond: Double(limits.operatorRequestsPerMinute) / 60)
    statusRequests = RateLimit(
      burst: limits.statusBurst, perSecond: limits.statusRequestsPerSecond)
    self.ownUser = ownUser
    self.trustedUsers = trustedUsers
    self.command = command
  }

  // MARK: Coming and going

  /// Takes a connection in, or says why not.
  mutating func connect(
    _ id: ConnectionID, owner: ConnectionOwner?, at now: MonotonicTime
  ) -> DaemonFault? {
    guard let owner else { return .unknownClient }
    let isExempt = self.isExempt(owner.userID)
    let isFull =
      connections.count >= limits.connections - (isExempt ? 0 : limits.reservedConnections)
      || (!isExempt && ownerCounts[owner, default: 0] >= limits.connectionsPerOwner)
    guard !isFull else {
      refusedCount += 1
      return .busy
    }
    ownerCounts[owner, default: 0] += 1
    connections[id] = ServerConnection(
      owner: owner, deadline: now.advanced(bySeconds: limits.requestSeconds), limits: limits)
    return nil
  }

  /// Whether nobody is there to be told anything.
  var isUnattended: Bool { connections.isEmpty && clients.isEmpty }

  /// When something is over by itself; `nil` while nothing is.
  var nextDeadline: MonotonicTime? {
    var next: MonotonicTime?
    func take(_ deadline: MonotonicTime?) {
      guard let deadline else { return }
      next = next.map { min($0, deadline) } ?? deadline
    }
    for connection in connections.values {
      take(connection.deadline)
      take(connection.writeDeadline)
      if connection.phase == .streaming, connection.writing == nil { take(connection.beatDeadline) }
    }
    for client in clients.values { take(client.lease?.end) }
    return next
  }

  mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
    switch event {
    case .connected: evictUnauthorized(now)
    case .requested(let id, let request, let peer): take(request, of: id, peer, now)
    case .failed(let id, let fault): refuse(id, fault, now)
    case .closed(let id): close(id)
    case .written(let id): written(id, now)
    case .policyOpened(
      let key, let authorization, let isDeniedGlobally, let asksOperator):
      opened(
        key,
        AuthorizationState(authorization, isDeniedGlobally: isDeniedGlobally), asksOperator, now)
    case .policy(let key, let update): change(key, now) { $0.take(update) } + evictUnauthorized(now)
    case .answered(let key, let number, let answer): take(answer, key, number, now)
    case .answeredFullAccuracy(let key, let number, let answer):
      take(answer, key, number, now)
    case .status(let id, let status): tellStatus(id, status, now)
    case .said(let event): say(event, now)
    case .timeOver: endWaits(now)
    }
  }

  private mutating func close(_ id: ConnectionID) -> [Action] {
    guard let connection = connections.removeValue(forKey: id) else { return [] }
    let count = ownerCounts[connection.owner, default: 1] - 1
    ownerCounts[connection.owner] = count > 0 ? count : nil
    guard let key = connection.client else { return [] }
    var actions: [Action] = []
    // A grant that serves once ends with the last of what it has served.
    if let service = connection.service {
      actions.append(.note(key, .stopped(service, locationCount: connection.locationCount)))
    }
    if connection.request?.activity != nil, clients[key]?.state != nil {
      actions.append(.note(key, .activityEnded))
    }
    clients[key]?.connections.remove(id)
    if clients[key]?.connections.isEmpty ?? false {
      clients[key] = nil
      actions.append(.closePolicy(key))
    }
    return actions
  }

  // MARK: Writing

  /// Puts something behind what waits, and writes on.
  mutating func send(
    _ frame: OutgoingQueue.Frame, to id: ConnectionID, _ now: MonotonicTime
  ) -> [Action] {
    connections[id]?.queue.append(frame)
    return writeOn(id, now)
  }

  /// Writes the next, unless the kernel has not taken the last.
  mutating func writeOn(_ id: ConnectionID, _ now: MonotonicTime) -> [Action] {
    guard let connection = connections[id], connection.writing == nil,
      let frame = connections[id]?.queue.next()
    else { return [] }
    connections[id]?.writing = frame
    connections[id]?.writeDeadline = now.advanced(bySeconds: limits.stuckSeconds)
    if connection.phase == .streaming {
      connections[id]?.beatDeadline = now.advanced(bySeconds: Double(limits.heartbeatSeconds))
    }
    return [.write(id, frame.bytes)]
  }

  private mutating func written(_ id: ConnectionID, _ now: MonotonicTime) -> [Action] {
    guard let phase = connections[id]?.phase else { return [] }
    connections[id]?.writing = nil
    connections[id]?.writeDeadline = nil
    let next = writeOn(id, now)
    return next.isEmpty && phase == .answering ? [.close(id)] : next
  }

  /// Answers, and ends with that.
  mutating func answer(
    _ id: ConnectionID, _ bytes: [UInt8], containsLocation: Bool = false, _ now: MonotonicTime
  ) -> [Action] {
    connections[id]?.phase = .answering
    connections[id]?.deadline = nil
    return send(OutgoingQueue.Frame(bytes: bytes, containsLocation: containsLocation), to: id, now)
  }

  mutating func refuse(
    _ id: ConnectionID, _ fault: DaemonFault, _ now: MonotonicTime
  ) -> [Action] {
    guard let phase = connections[id]?.phase, phase != .answering, phase != .streaming else {
      return []
    }
    return answer(id, HTTPAnswer.fault(fault), now)
  }

  /// Ends every wait whose time is over.
  private mutating func endWaits(_ now: MonotonicTime) -> [Action] {
    var actions: [Action] = []
    for (id, connection) in connections {
      if let deadline = connection.writeDeadline, deadline <= now {
        connections[id]?.writeDeadline = nil
        actions.append(.abort(id))
      } else if let deadline = connection.deadline, deadline <= now {
        connections[id]?.deadline = nil
        actions += endWait(of: id, connection, now)
      }
    }
    for (key, client) in clients {
      guard let lease = client.lease, lease.end <= now else { continue }
      clients[key]?.lease = nil
      actions += change(key, now) { $0.endLease(lease.number) }
    }
    return actions + beat(now)
  }

  /// Sends a sign of life to each stream that is quiet, where one of them waits for it: those whose
  /// turn comes soon go along, so that many wake the board as seldom as one.
  private mutating func beat(_ now: MonotonicTime) -> [Action] {
    func quiet(until moment: MonotonicTime) -> [ConnectionID] {
      connections.filter { _, connection in
        connection.phase == .streaming && connection.writing == nil
          && connection.beatDeadline.map { $0 <= moment } ?? false
      }.keys.sorted()
    }
    guard !quiet(until: now).isEmpty else { return [] }
    let soon = now.advanced(bySeconds: Double(limits.heartbeatSeconds) / 3)
    return quiet(until: soon).flatMap { id in
      send(OutgoingQueue.Frame(bytes: DaemonHeartbeat.bytes), to: id, now)
    }
  }

  // MARK: Crowds of those who may know nothing

  /// Root and the daemon's own user, who have to get through whoever else is there.
  func isExempt(_ userID: UInt32) -> Bool { Self.isExempt(userID, ownUser: ownUser) }

  static func isExempt(_ userID: UInt32, ownUser: UInt32) -> Bool {
    userID == 0 || userID == ownUser
  }

  /// Ends connections of clients that may know nothing, where there are too many: the oldest of the
  /// owner that has the most, so that a lone one that waits for an operator is not driven out by a
  /// crowd.
  mutating func evictUnauthorized(_ now: MonotonicTime) -> [Action] {
    var idle: [ConnectionOwner: [ConnectionID]] = [:]
    var count = 0
    for (id, connection) in connections where isIdle(connection) {
      idle[connection.owner, default: []].append(id)
      count += 1
    }
    var actions: [Action] = []
    while count > limits.idleConnections {
      // The newer connection where two have as many, so that the same events have the same end.
      let most = idle.max {
        ($0.value.count, $0.value.min() ?? 0) < ($1.value.count, $1.value.min() ?? 0)
      }
      guard let most, let oldest = most.value.min() else { break }
      idle[most.key]?.removeAll { $0 == oldest }
      count -= 1
      actions += evict(oldest, now)
    }
    return actions
  }

  private func isIdle(_ connection: ServerConnection) -> Bool {
    guard !isExempt(connection.owner.userID) else { return false }
    switch connection.phase {
    case .asksStatus, .answering: return false
    case .reading, .opening: return true
    case .locating, .asking, .askingFullAccuracy, .streaming:
      return connection.client.map { reach(of: $0) } ?? .nothing == .nothing
    }
  }

  private mutating func evict(_ id: ConnectionID, _ now: MonotonicTime) -> [Action] {
    refusedCount += 1
    guard connections[id]?.phase == .streaming else { return refuse(id, .busy, now) }
    connections[id]?.phase = .answering
    return [.abort(id)]
  }
}
