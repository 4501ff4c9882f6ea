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

  private(set) var server: ServerState
  private var streams = EventStreams()
  private var feeds: FeedStreams
  private var requests: Requests

  init(
    limits: ServerLimits = ServerLimits(), ownUser: UInt32, trustedUsers: Set<UInt32> = [0],
    gpsdVersion: GPSDVersion = .unknown,
    command: @escaping @Sendable ([String]) -> String = { $0.joined(separator: " ") },
    words: @escaping @Sendable (ClientSelector) -> [String] = \.words
  ) {
    server = ServerState(
      connections: ConnectionTable(limits: limits, ownUser: ownUser),
      clients: ClientTable(trustedUsers: trustedUsers, command: command, words: words))
    requests = Requests(limits)
    feeds = FeedStreams(gpsdVersion: gpsdVersion)
  }

  /// Admits or refuses a connection.
  ///
  /// Returns `nil`, or the reason for the refusal.
  mutating func connect(
    _ id: ConnectionID, owner: ConnectionOwner?, feed: FeedProtocol? = nil, at now: MonotonicTime
  ) -> DaemonFault? {
    server.connections.open(id, owner: owner, feed: feed, server.clients, at: now)
  }

  /// Whether a published event needs no event loop: it has no recipients, or it is a position,
  /// satellites or sentences, and only feeds with full or no access can receive it.
  ///
  /// The core then reads no reduced location, which may be on the disk.
  func publishesWithoutLoop(_ event: Event) -> Bool {
    guard case .published(let published) = event else { return false }
    if server.connections.isEmpty, server.clients.isEmpty { return true }
    switch published {
    case .fix, .sky, .sentences:
      return !server.connections.contains { $0.feed == nil }
        && server.clients.count(with: .reduced) == 0
    case .receiver, .lost, .object, .expired: return false
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
    switch event {
    case .connected: return server.connections.evictUnauthorized(server.clients, now)
    case .feedConnected(let id, let peer): return feeds.start(id, peer, &server)
    case .received(let id, let bytes, let utcNow): return feeds.receive(bytes, id, utcNow, &server)
    case .requested(let id, let request, let peer, let session):
      return requests.handle(request, of: id, peer, session, &server, &streams)
    case .failed(let id, let fault): return server.refuse(id, fault)
    case .closed(let id): return close(id)
    case .written(let id): return server.connections.handleWritten(id, now)
    case .policyOpened(let key, let authorization, let isDeniedGlobally, let operatorRequests):
      let state = AuthorizationState(authorization, isDeniedGlobally: isDeniedGlobally)
      return handlePolicyOpened(key, state, operatorRequests)
        + server.connections.evictUnreservedFeeds(server.clients, now)
    case .policy(let key, let update):
      return change(key) { $0.take(update) }
        + server.connections.evictUnauthorized(server.clients, now)
    case .answered(let key, let number, let answer):
      return change(key) { $0.answer(number, answer) }
        + requests.handleAnswer(key, number, &server)
        + server.connections.evictUnreservedFeeds(server.clients, now)
    case .answeredFullAccuracy(let key, let number, let answer):
      var error: LocationError?
      return change(key) { error = $0.answerFullAccuracy(number, answer) }
        + requests.handleFullAccuracyAnswer(answer, isGranted: error == nil, key, number, &server)
    case .status(let id, let status): return requests.answerStatus(id, status, &server)
    case .published(let event): return publish(event)
    case .web(.answered(let id, let pieces)): return server.connections.answer(id, pieces, now)
    case .web(.places(let id, let coordinate, let json)):
      return requests.answerPlaces(id, coordinate, json, &server)
    case .web(.requests(let id?, let json)): return requests.answerRequests(id, json, &server)
    case .web(.requests(nil, let json)): return streams.sendRequests(json, &server)
    case .web(.decided(let id, let fault)): return requests.handleDecided(id, fault, &server)
    case .web(.sessionEnded(let number)):
      return server.connections.ids { $0.session?.number == number }.map { .abort($0) }
    case .deadlineReached: return handleDeadlines()
    }
  }

  private mutating func publish(_ event: ServerEvent) -> [Action] {
    switch event {
    case .fix(let fix):
      let notifiesReduced = server.latest.take(fix, at: server.now)
      return streams.publish(fix, notifiesReduced: notifiesReduced, &server)
        + requests.locateAll(&server) + feeds.publish(fix, &server)
    case .sentences(let bytes, let source): return feeds.publishSentences(bytes, source, &server)
    case .sky(let sky):
      server.latest.take(sky, at: server.now)
      return streams.publish(sky, &server) + feeds.publish(sky, &server)
    case .receiver(let receiver, let at):
      let device = GPSDDevice(receiver, activated: receiver.isActive ? at : nil)
      return feeds.publish(device, &server)
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
    guard let connection = server.connections.close(id), let key = connection.client
    else { return [] }
    var actions = connection.endOfUse
    if connection.request?.activity != nil, server.clients[key]?.state != nil {
      actions.append(.note(key, .activityEnded))
    }
    return actions + server.clients.remove(id, from: key)
  }

  /// Handles all deadlines that have passed.
  private mutating func handleDeadlines() -> [Action] {
    let passed = server.connections.takePassedDeadlines(at: server.now)
    var actions = passed.stuck.map { Action.abort($0) }
    for id in passed.timedOut { actions += requests.handleDeadline(of: id, &server) }
    for lease in server.clients.takeEndedLeases(at: server.now) {
      actions += change(lease.key) { $0.endLease(lease.number) }
    }
    return actions + server.connections.sendHeartbeats(server.now) + feeds.sendReports(&server)
  }

  // MARK: Authorization

  private mutating func handlePolicyOpened(
    _ key: ServerClient.Key, _ state: AuthorizationState, _ operatorRequests: OperatorRequests
  ) -> [Action] {
    // All connections that were waiting for the policy may have closed meanwhile.
    guard let ids = server.clients.open(key, state, operatorRequests) else {
      return [.closePolicy(key)]
    }
    return ids.flatMap { feeds.begin($0, &server) + requests.begin($0, &server, &streams) }
  }

  /// Changes a client's authorization, and updates its connections.
  ///
  /// If the change withdraws access, queued locations are discarded before the client is notified.
  private mutating func change(
    _ key: ServerClient.Key, _ update: (inout AuthorizationState) -> Void
  ) -> [Action] {
    guard let change = server.clients.change(key, update), let client = server.clients[key]
    else { return [] }
    var actions: [Action] = []
    if change.isNarrowed {
      actions += client.connections.flatMap { server.connections.withdraw(from: $0) }
    }
    actions += streams.sendAuthorization(of: key, &server)
    for id in client.connections {
      if change.isWidened { actions += streams.sendLatest(to: id, &server) }
      actions += requests.handleChange(of: id, key, change.after, &server)
      feeds.scheduleReport(of: id, server)
    }
    return actions
  }
}
