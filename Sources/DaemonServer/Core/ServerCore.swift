// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning
internal import SystemSupport

/// Decides which data each client receives.
///
/// Takes events as input and returns actions.
///
/// The core does not use sockets, clocks or files; `ServerShell` runs the core. Each frame is
/// checked against the client's latest authorization, and only one write per connection is in
/// progress. When access is withdrawn, queued locations are discarded, and a connection whose
/// current write contains a location is aborted.
struct ServerCore: Sendable {
  typealias ConnectionID = UInt64

  enum Event: Sendable {
    /// An admitted connection can be read and closed.
    case connected(ConnectionID)
    /// A connection with a feed was identified.
    case feedConnected(ConnectionID, PeerEvidence)
    /// The client of a feed sent bytes. The time answers its requests.
    case received(ConnectionID, [UInt8], UTCTime?)
    /// A complete request was received.
    case requested(ConnectionID, DaemonRequest, PeerEvidence, WebSession? = nil)
    /// The request is invalid or cannot be served.
    case failed(ConnectionID, DaemonFault)
    case closed(ConnectionID)
    /// The kernel has accepted the last write.
    case written(ConnectionID)
    case policyOpened(
      ServerClient.Key, Authorization, isDeniedGlobally: Bool, operatorRequests: OperatorRequests)
    case policy(ServerClient.Key, AuthorizationUpdate)
    case answered(ServerClient.Key, UInt64, AuthorizationAnswer)
    case answeredFullAccuracy(ServerClient.Key, UInt64, FullAccuracyAnswer)
    /// The daemon's status, as requested by ``Action/readStatus(_:)`` or
    /// ``Action/readMetrics(_:)``.
    case status(ConnectionID, ServerStatus)
    /// The daemon publishes an event.
    case published(ServerEvent)
    case web(WebEvent)
    /// ``nextDeadline`` has passed.
    case deadlineReached
  }

  enum Action: Equatable, Sendable {
    case write(ConnectionID, [UInt8])
    /// Close the connection. All its writes are complete.
    case close(ConnectionID)
    /// Close the connection at once, and discard a write in progress.
    case abort(ConnectionID)
    case openPolicy(ServerClient.Key, base: AuthorizationStatus?)
    case closePolicy(ServerClient.Key)
    case ask(ServerClient.Key, AuthorizationRequest, purpose: String, number: UInt64)
    /// Request full accuracy. The request is cancelled when the connection closes.
    case askFullAccuracy(
      ConnectionID, ServerClient.Key, purposeKey: String, number: UInt64)
    case note(ServerClient.Key, ServiceUse)
    case readStatus(ConnectionID)
    case readMetrics(ConnectionID)
    case web(WebAction)
  }

  let limits: ServerLimits
  /// The user that the daemon runs as.
  let ownUser: UInt32
  /// The version in the greeting of gpsd clients.
  let gpsdVersion: GPSDVersion

  var connections: [ConnectionID: ServerConnection] = [:]
  var clients: ClientTable
  private(set) var ownerCounts: [ConnectionOwner: Int] = [:]
  var refusedCount = 0
  var operatorRequestLimit: RateLimit<ConnectionOwner>
  var statusRequestLimit: RateLimit<ConnectionOwner>
  var fullAccuracyCount: UInt64 = 0
  /// The numbers of frames dropped on feeds that have been closed.
  private var closedFeedDrops: [FeedProtocol: Int] = [:]

  /// The latest value of each kind, for streams that start later.
  var latest = ServerLatest()

  init(
    limits: ServerLimits = ServerLimits(), ownUser: UInt32, trustedUsers: Set<UInt32> = [0],
    gpsdVersion: GPSDVersion = .unknown,
    command: @escaping @Sendable ([String]) -> String = { $0.joined(separator: " ") },
    words: @escaping @Sendable (ClientSelector) -> [String] = \.words
  ) {
    self.limits = limits
    operatorRequestLimit = RateLimit(
      burst: limits.operatorRequestsPerMinute,
      perSecond: Double(limits.operatorRequestsPerMinute) / 60)
    statusRequestLimit = RateLimit(
      burst: limits.statusBurst, perSecond: limits.statusRequestsPerSecond)
    self.ownUser = ownUser
    self.gpsdVersion = gpsdVersion
    clients = ClientTable(trustedUsers: trustedUsers, command: command, words: words)
  }

  // MARK: Connections

  /// Admits or refuses a connection.
  ///
  /// Returns `nil`, or the reason for the refusal.
  mutating func connect(
    _ id: ConnectionID, owner: ConnectionOwner?, format: StreamFormat = .events,
    at now: MonotonicTime
  ) -> DaemonFault? {
    guard let owner else { return .unknownClient }
    let isExempt = self.isExempt(owner.userID)
    let isFull =
      connections.count >= limits.connections - (isExempt ? 0 : limits.reservedConnections)
      || (!isExempt && ownerCounts[owner, default: 0] >= limits.connectionsPerOwner)
      || (!isExempt && owner.isBrowser && !hasRoomForBrowsers)
      || !(format.feed.map { hasRoom(for: $0, of: owner) } ?? true)
    guard !isFull else {
      refusedCount += 1
      return .busy
    }
    ownerCounts[owner, default: 0] += 1
    connections[id] = ServerConnection(
      owner: owner, format: format, deadline: now.advanced(bySeconds: limits.requestSeconds),
      limits: limits)
    return nil
  }

  /// The numbers of clients of a protocol, and of frames dropped for slow clients.
  func feedCounts(_ feed: FeedProtocol) -> (clients: Int, drops: Int) {
    let feeds = connections.values.filter { $0.format.feed == feed }
    let drops = feeds.reduce(closedFeedDrops[feed, default: 0]) { $0 + $1.queue.totalDroppedCount }
    return (feeds.count, drops)
  }

  /// Whether there are no connections and no clients.
  var hasNoClients: Bool { connections.isEmpty && clients.isEmpty }

  /// The time of the next timeout or heartbeat; `nil` if none is scheduled.
  var nextDeadline: MonotonicTime? {
    var next: MonotonicTime?
    func consider(_ deadline: MonotonicTime?) {
      guard let deadline else { return }
      next = next.map { min($0, deadline) } ?? deadline
    }
    for connection in connections.values {
      consider(connection.deadline)
      consider(connection.writeDeadline)
      if connection.phase == .streaming, connection.writing == nil {
        consider(connection.heartbeatDeadline)
      }
    }
    consider(clients.nextLeaseEnd)
    return next
  }

  mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
    switch event {
    case .connected: evictUnauthorized(now)
    case .feedConnected(let id, let peer): startFeed(id, peer, now)
    case .received(let id, let bytes, let utcNow): handleReceived(bytes, id, utcNow, now)
    case .requested(let id, let request, let peer, let session):
      handleRequest(request, of: id, peer, session, now)
    case .failed(let id, let fault): refuse(id, fault, now)
    case .closed(let id): close(id)
    case .written(let id): handleWritten(id, now)
    case .policyOpened(
      let key, let authorization, let isDeniedGlobally, let operatorRequests):
      handlePolicyOpened(
        key,
        AuthorizationState(authorization, isDeniedGlobally: isDeniedGlobally), operatorRequests, now
      ) + evictUnreservedFeeds(now)
    case .policy(let key, let update): change(key, now) { $0.take(update) } + evictUnauthorized(now)
    case .answered(let key, let number, let answer):
      handleAnswer(answer, key, number, now) + evictUnreservedFeeds(now)
    case .answeredFullAccuracy(let key, let number, let answer):
      handleFullAccuracyAnswer(answer, key, number, now)
    case .status(let id, let status): answerStatus(id, status, now)
    case .published(let event): publish(event, now)
    case .web(let event): handle(event, now)
    case .deadlineReached: handleDeadlines(now)
    }
  }

  private mutating func close(_ id: ConnectionID) -> [Action] {
    guard let connection = connections.removeValue(forKey: id) else { return [] }
    let count = ownerCounts[connection.owner, default: 1] - 1
    ownerCounts[connection.owner] = count > 0 ? count : nil
    if let feed = connection.format.feed {
      closedFeedDrops[feed, default: 0] += connection.queue.totalDroppedCount
    }
    guard let key = connection.client else { return [] }
    var actions: [Action] = []
    // Report the end of the use: a one-time grant ends when the last connection that uses the
    // grant is closed.
    if let service = connection.service {
      actions.append(.note(key, .stopped(service, locationCount: connection.locationCount)))
    }
    if connection.request?.activity != nil, clients[key]?.state != nil {
      actions.append(.note(key, .activityEnded))
    }
    return actions + clients.remove(id, from: key)
  }

  // MARK: Writing

  /// Queues a frame, and starts to write it unless another write is in progress.
  mutating func send(
    _ frame: OutgoingQueue.Frame, to id: ConnectionID, _ now: MonotonicTime
  ) -> [Action] {
    connections[id]?.queue.append(frame)
    return writeNext(id, now)
  }

  /// Starts to write the next frame, unless a write is in progress.
  mutating func writeNext(_ id: ConnectionID, _ now: MonotonicTime) -> [Action] {
    guard let connection = connections[id], connection.writing == nil,
      let next = connections[id]?.queue.next()
    else { return [] }
    let frame = numbered(next, of: id)
    connections[id]?.writing = frame
    let isFeed = connection.format.feed != nil
    connections[id]?.writeDeadline = now.advanced(
      bySeconds: isFeed ? limits.stuckFeedSeconds : limits.stuckSeconds)
    if connection.phase == .streaming, !isFeed {
      connections[id]?.heartbeatDeadline = now.advanced(bySeconds: Double(limits.heartbeatSeconds))
    }
    return [.write(id, frame.bytes)]
  }

  private mutating func handleWritten(_ id: ConnectionID, _ now: MonotonicTime) -> [Action] {
    guard let phase = connections[id]?.phase else { return [] }
    connections[id]?.writing = nil
    connections[id]?.writeDeadline = nil
    let next = writeNext(id, now)
    return next.isEmpty && phase == .answering ? [.close(id)] : next
  }

  /// Sends a response.
  ///
  /// The connection is closed after the response.
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
    guard let connection = connections[id], connection.phase != .answering,
      connection.phase != .streaming
    else { return [] }
    // A feed has no HTTP responses.
    if connection.format.feed != nil { return [.abort(id)] }
    return answer(id, HTTPAnswer.fault(fault), now)
  }

  /// Handles all deadlines that have passed.
  private mutating func handleDeadlines(_ now: MonotonicTime) -> [Action] {
    var actions: [Action] = []
    for (id, connection) in connections {
      if let deadline = connection.writeDeadline, deadline <= now {
        connections[id]?.writeDeadline = nil
        actions.append(.abort(id))
      } else if let deadline = connection.deadline, deadline <= now {
        connections[id]?.deadline = nil
        actions += handleDeadline(of: id, connection, now)
      }
    }
    for lease in clients.takeEndedLeases(at: now) {
      actions += change(lease.key, now) { $0.endLease(lease.number) }
    }
    return actions + sendHeartbeats(now) + sendReports(now)
  }

  /// Sends heartbeats to idle streams if at least one is due.
  ///
  /// Also sends heartbeats that are due soon, so that many streams wake the board no more often
  /// than one stream does.
  private mutating func sendHeartbeats(_ now: MonotonicTime) -> [Action] {
    func idleStreams(dueBy moment: MonotonicTime) -> [ConnectionID] {
      connections.filter { _, connection in
        connection.phase == .streaming && connection.writing == nil
          && connection.format.feed == nil
          && connection.heartbeatDeadline.map { $0 <= moment } ?? false
      }.keys.sorted()
    }
    guard !idleStreams(dueBy: now).isEmpty else { return [] }
    let soon = now.advanced(bySeconds: Double(limits.heartbeatSeconds) / 3)
    return idleStreams(dueBy: soon).flatMap { id in
      send(OutgoingQueue.Frame(bytes: DaemonHeartbeat.bytes), to: id, now)
    }
  }
}
