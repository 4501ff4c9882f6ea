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

  var server: ServerState
  var streams = EventStreams()
  var feeds: FeedStreams
  var operatorRequestLimit: RateLimit<ConnectionOwner>
  var statusRequestLimit: RateLimit<ConnectionOwner>
  var fullAccuracyCount: UInt64 = 0

  init(
    limits: ServerLimits = ServerLimits(), ownUser: UInt32, trustedUsers: Set<UInt32> = [0],
    gpsdVersion: GPSDVersion = .unknown,
    command: @escaping @Sendable ([String]) -> String = { $0.joined(separator: " ") },
    words: @escaping @Sendable (ClientSelector) -> [String] = \.words
  ) {
    server = ServerState(
      connections: ConnectionTable(limits: limits, ownUser: ownUser),
      clients: ClientTable(trustedUsers: trustedUsers, command: command, words: words))
    operatorRequestLimit = RateLimit(
      burst: limits.operatorRequestsPerMinute,
      perSecond: Double(limits.operatorRequestsPerMinute) / 60)
    statusRequestLimit = RateLimit(
      burst: limits.statusBurst, perSecond: limits.statusRequestsPerSecond)
    feeds = FeedStreams(gpsdVersion: gpsdVersion)
  }

  // MARK: Connections

  /// Admits or refuses a connection.
  ///
  /// Returns `nil`, or the reason for the refusal.
  mutating func connect(
    _ id: ConnectionID, owner: ConnectionOwner?, feed: FeedProtocol? = nil,
    at now: MonotonicTime
  ) -> DaemonFault? {
    server.connections.open(id, owner: owner, feed: feed, server.clients, at: now)
  }

  /// Whether there are no connections and no clients.
  var hasNoClients: Bool { server.connections.isEmpty && server.clients.isEmpty }

  /// Whether an event is a position, satellites or sentences, and only feeds with full or no access
  /// can receive it.
  ///
  /// The core then reads no reduced location, which may be on the disk.
  func publishesOnlyToFeeds(_ event: Event) -> Bool {
    switch event {
    case .published(.fix), .published(.sky), .published(.sentences):
      !server.connections.contains { $0.feed == nil } && server.clients.count(with: .reduced) == 0
    default: false
    }
  }

  /// Whether a client reads the sentences of the receiver.
  var wantsSentences: Bool { feeds.wantsSentences(server) }

  /// Whether a page lists the requests that wait.
  var wantsRequests: Bool { streams.wantsRequests }

  /// The time of the next timeout or heartbeat; `nil` if none is scheduled.
  var nextDeadline: MonotonicTime? {
    .earlier(
      .earlier(server.connections.nextDeadline, feeds.nextDeadline(server.connections)),
      server.clients.nextLeaseEnd)
  }

  /// The memory of the reduced location, which all programs on the board share.
  var reducedMemory: ReducedAccuracy.Memory {
    get { server.latest.reducedMemory }
    set { server.latest.reducedMemory = newValue }
  }

  mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
    server.now = now
    return switch event {
    case .connected: server.connections.evictUnauthorized(server.clients, now)
    case .feedConnected(let id, let peer): feeds.start(id, peer, &server)
    case .received(let id, let bytes, let utcNow): feeds.receive(bytes, id, utcNow, &server)
    case .requested(let id, let request, let peer, let session):
      handleRequest(request, of: id, peer, session, now)
    case .failed(let id, let fault): server.connections.refuse(id, fault, now)
    case .closed(let id): close(id)
    case .written(let id): server.connections.handleWritten(id, now)
    case .policyOpened(
      let key, let authorization, let isDeniedGlobally, let operatorRequests):
      handlePolicyOpened(
        key,
        AuthorizationState(authorization, isDeniedGlobally: isDeniedGlobally), operatorRequests, now
      ) + server.connections.evictUnreservedFeeds(server.clients, now)
    case .policy(let key, let update):
      change(key, now) { $0.take(update) }
        + server.connections.evictUnauthorized(server.clients, now)
    case .answered(let key, let number, let answer):
      handleAnswer(answer, key, number, now)
        + server.connections.evictUnreservedFeeds(server.clients, now)
    case .answeredFullAccuracy(let key, let number, let answer):
      handleFullAccuracyAnswer(answer, key, number, now)
    case .status(let id, let status): answerStatus(id, status, now)
    case .published(let event): publish(event, now)
    case .web(let event): handle(event, now)
    case .deadlineReached: handleDeadlines(now)
    }
  }

  mutating func publish(_ event: ServerEvent, _ now: MonotonicTime) -> [Action] {
    switch event {
    case .fix(let fix):
      let notifiesReduced = server.latest.take(fix, at: now)
      return streams.publish(fix, notifiesReduced: notifiesReduced, &server)
        + locateAll(now) + feeds.publish(fix, &server)
    case .sentences(let bytes, let source): return feeds.publishSentences(bytes, source, &server)
    case .sky(let sky):
      server.latest.take(sky, at: now)
      return streams.publish(sky, &server) + feeds.publish(sky, &server)
    case .receiver(let receiver, let at):
      return feeds.publish(GPSDDevice(receiver, activated: receiver.isActive ? at : nil), &server)
    case .lost(let loss, let source):
      server.latest.removeValues(of: loss.receiver)
      return streams.publish(loss, source: source, &server) + feeds.publish(loss, &server)
    case .object(let object):
      server.latest.take(object)
      return streams.publish(object, &server)
    case .expired(let name, let subject):
      server.latest.removeObjects(name, subject)
      return []
    }
  }

  private mutating func close(_ id: ConnectionID) -> [Action] {
    streams.end(id)
    feeds.end(id)
    guard let connection = server.connections.close(id), let key = connection.client else {
      return []
    }
    var actions: [Action] = []
    // Report the end of the use: a one-time grant ends when the last connection that uses the
    // grant is closed.
    if let service = connection.service {
      actions.append(.note(key, .stopped(service, locationCount: connection.locationCount)))
    }
    if connection.request?.activity != nil, server.clients[key]?.state != nil {
      actions.append(.note(key, .activityEnded))
    }
    return actions + server.clients.remove(id, from: key)
  }

  /// Handles all deadlines that have passed.
  private mutating func handleDeadlines(_ now: MonotonicTime) -> [Action] {
    let passed = server.connections.takePassedDeadlines(at: now)
    var actions = passed.stuck.map { Action.abort($0) }
    for id in passed.timedOut { actions += handleDeadline(of: id, now) }
    for lease in server.clients.takeEndedLeases(at: now) {
      actions += change(lease.key, now) { $0.endLease(lease.number) }
    }
    return actions + server.connections.sendHeartbeats(now) + feeds.sendReports(&server)
  }
}
