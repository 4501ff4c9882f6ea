// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning

/// The open connections in order of opening: their limits, writes and deadlines.
struct ConnectionTable: Sendable {
  typealias ID = UInt64
  typealias Action = ServerCore.Action

  let limits: ServerLimits
  /// The user that the daemon runs as.
  private let ownUser: UInt32
  /// The connections in order of opening, which is the order of their numbers.
  private var connections: [ServerConnection] = []
  private(set) var ownerCounts: [ConnectionOwner: Int] = [:]
  private(set) var refusedCount = 0
  /// The numbers of frames dropped on feeds that have been closed.
  private var closedFeedDrops: [FeedProtocol: Int] = [:]

  init(limits: ServerLimits, ownUser: UInt32) {
    self.limits = limits
    self.ownUser = ownUser
  }

  var isEmpty: Bool { connections.isEmpty }
  var count: Int { connections.count }

  /// The connections that match a condition, in order of opening.
  func ids(where isIncluded: (ServerConnection) -> Bool) -> [ID] {
    connections.indices.compactMap { isIncluded(connections[$0]) ? connections[$0].id : nil }
  }

  func contains(where isIncluded: (ServerConnection) -> Bool) -> Bool {
    connections.contains(where: isIncluded)
  }

  subscript(id: ID) -> ServerConnection? { index(of: id).map { connections[$0] } }

  private func index(of id: ID) -> Int? {
    let index = insertionIndex(of: id)
    return index < connections.count && connections[index].id == id ? index : nil
  }

  private func insertionIndex(of id: ID) -> Int {
    var range = connections.startIndex..<connections.endIndex
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range =
        connections[middle].id < id ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }

  func isStreaming(_ id: ID) -> Bool {
    index(of: id).map { connections[$0].phase } == .streaming
  }

  /// Whether a connection has a stream or a feed, and no write is in progress.
  func isQuiet(_ id: ID) -> Bool { index(of: id).map { connections[$0].isQuiet } ?? false }

  // MARK: Opening and closing

  /// Admits or refuses a connection.
  ///
  /// Returns `nil`, or the reason for the refusal.
  mutating func open(
    _ id: ID, owner: ConnectionOwner?, feed: FeedProtocol?, _ clients: ClientTable,
    at now: MonotonicTime
  ) -> DaemonFault? {
    guard let owner else { return .unknownClient }
    guard hasRoom(for: owner, feed, clients) else {
      refusedCount += 1
      return .busy
    }
    ownerCounts[owner, default: 0] += 1
    connections.insert(
      ServerConnection(
        id: id, owner: owner, feed: feed,
        deadline: now.advanced(bySeconds: limits.requestSeconds), limits: limits),
      at: insertionIndex(of: id))
    return nil
  }

  mutating func close(_ id: ID) -> ServerConnection? {
    guard let index = index(of: id) else { return nil }
    let connection = connections.remove(at: index)
    let count = ownerCounts[connection.owner, default: 1] - 1
    ownerCounts[connection.owner] = count > 0 ? count : nil
    if let feed = connection.feed {
      closedFeedDrops[feed, default: 0] += connection.queue.totalDroppedCount
    }
    return connection
  }

  /// The numbers of clients of a protocol, and of frames dropped for slow clients.
  func feedCounts(_ feed: FeedProtocol) -> (clients: Int, drops: Int) {
    connections.reduce(into: (0, closedFeedDrops[feed, default: 0])) { counts, connection in
      guard connection.feed == feed else { return }
      counts = (counts.0 + 1, counts.1 + connection.queue.totalDroppedCount)
    }
  }

  // MARK: Writing

  /// Queues a frame, and starts to write it unless another write is in progress.
  mutating func send(_ frame: OutgoingQueue.Frame, to id: ID, _ now: MonotonicTime) -> [Action] {
    guard let index = index(of: id) else { return [] }
    connections[index].queue.append(frame)
    return writeNext(index, now)
  }

  private mutating func writeNext(_ index: Int, _ now: MonotonicTime) -> [Action] {
    connections[index].startWrite(limits, at: now).map { [.write(connections[index].id, $0)] } ?? []
  }

  /// Starts the next write after the last one has ended, or closes a connection that has its
  /// response.
  mutating func handleWritten(_ id: ID, _ now: MonotonicTime) -> [Action] {
    guard let index = index(of: id) else { return [] }
    connections[index].endWrite()
    let next = writeNext(index, now)
    return next.isEmpty && connections[index].phase == .answering ? [.close(id)] : next
  }

  /// Sends a response.
  ///
  /// The connection is closed after the response.
  mutating func answer(
    _ id: ID, _ bytes: [UInt8], containsLocation: Bool = false, _ now: MonotonicTime
  ) -> [Action] {
    enter(.answering, id)
    return send(OutgoingQueue.Frame(bytes: bytes, containsLocation: containsLocation), to: id, now)
  }

  /// Sends a response in pieces, each of which is copied only while it is written, to a connection
  /// that waits for its request.
  mutating func answer(_ id: ID, _ pieces: [[UInt8]], _ now: MonotonicTime) -> [Action] {
    guard let index = index(of: id), connections[index].phase == .reading else { return [] }
    enter(.answering, id)
    connections[index].queue.append(response: pieces)
    return writeNext(index, now)
  }

  mutating func refuse(_ id: ID, _ fault: DaemonFault, _ now: MonotonicTime) -> [Action] {
    guard let connection = self[id], connection.phase != .answering, connection.phase != .streaming
    else { return [] }
    // A feed has no HTTP responses.
    if connection.feed != nil { return [.abort(id)] }
    return answer(id, HTTPAnswer.fault(fault), now)
  }

  /// Discards everything that would reveal the location to a connection.
  mutating func withdraw(from id: ID) -> [Action] {
    // The kernel may have sent a part of the current frame. The remainder must not be sent, and no
    // other frame can follow an incomplete frame, so abort the connection.
    guard let index = index(of: id), connections[index].withdraw() else { return [] }
    return [.abort(id)]
  }

  // MARK: Phases

  /// Stores the client of a connection, and its request over HTTP.
  mutating func accept(
    _ id: ID, from client: ServerClient.Key, request: DaemonRequest? = nil,
    session: WebSession? = nil
  ) {
    guard let index = index(of: id) else { return }
    connections[index].client = client
    connections[index].request = request
    connections[index].session = session
  }

  /// Moves a connection to a phase and its time limit; `nil` for no limit.
  mutating func enter(
    _ phase: ServerConnection.Phase, _ id: ID, until deadline: MonotonicTime? = nil
  ) {
    guard let index = index(of: id) else { return }
    connections[index].phase = phase
    connections[index].deadline = deadline
  }

  /// Records that a connection starts to use locations.
  mutating func startUse(_ service: LocationServiceKind, of id: ID) -> [Action] {
    guard let index = index(of: id), let key = connections[index].client else { return [] }
    connections[index].service = service
    return [.note(key, .started(service))]
  }

  /// Counts a location that is sent to a connection, and records the first one.
  mutating func countLocation(of id: ID) -> [Action] {
    guard let index = index(of: id) else { return [] }
    connections[index].locationCount &+= 1
    guard connections[index].locationCount == 1, let key = connections[index].client,
      let service = connections[index].service
    else { return [] }
    return [.note(key, .firstLocation(service))]
  }

  // MARK: Deadlines

  /// The time of the next timeout or heartbeat; `nil` if none is scheduled.
  var nextDeadline: MonotonicTime? {
    connections.indices.reduce(nil) { .earlier($0, connections[$1].nextDeadline) }
  }

  /// Removes the deadlines that have passed; returns the connections whose client does not read,
  /// and the other ones.
  mutating func takePassedDeadlines(at now: MonotonicTime) -> (stuck: [ID], timedOut: [ID]) {
    var (stuck, timedOut): ([ID], [ID]) = ([], [])
    for index in connections.indices {
      if let deadline = connections[index].writeDeadline, deadline <= now {
        connections[index].writeDeadline = nil
        stuck.append(connections[index].id)
      } else if let deadline = connections[index].deadline, deadline <= now {
        connections[index].deadline = nil
        timedOut.append(connections[index].id)
      }
    }
    return (stuck, timedOut)
  }

  /// Sends heartbeats to idle streams if at least one is due.
  ///
  /// Also sends heartbeats that are due soon, so that many streams wake the board no more often
  /// than one stream does.
  mutating func sendHeartbeats(_ now: MonotonicTime) -> [Action] {
    func idleStreams(dueBy moment: MonotonicTime) -> [Int] {
      connections.indices.filter { index in
        connections[index].isQuiet
          && connections[index].heartbeatDeadline.map { $0 <= moment } ?? false
      }
    }
    guard !idleStreams(dueBy: now).isEmpty else { return [] }
    let soon = now.advanced(bySeconds: Double(limits.heartbeatSeconds) / 3)
    return idleStreams(dueBy: soon).flatMap { index in
      connections[index].queue.append(OutgoingQueue.Frame(bytes: DaemonHeartbeat.bytes))
      return writeNext(index, now)
    }
  }

  // MARK: Room for a connection

  /// Whether a user is exempt from most limits: root and the user that the daemon runs as.
  func isExempt(_ userID: UInt32) -> Bool { Self.isExempt(userID, ownUser: ownUser) }

  static func isExempt(_ userID: UInt32, ownUser: UInt32) -> Bool {
    userID == 0 || userID == ownUser
  }

  /// Whether there is room for a connection, if need be after one without access is evicted.
  private func hasRoom(
    for owner: ConnectionOwner, _ feed: FeedProtocol?, _ clients: ClientTable
  ) -> Bool {
    let isExempt = isExempt(owner.userID)
    guard connections.count < limits.connections - (isExempt ? 0 : limits.reservedConnections),
      isExempt || ownerCounts[owner, default: 0] < limits.connectionsPerOwner
    else { return false }
    if !isExempt, owner.isBrowser {
      let browsers = connections.filter(\.owner.isBrowser)
      guard
        browsers.count < limits.webConnections || browsers.contains(where: { isIdle($0, clients) })
      else { return false }
    }
    guard let feed else { return true }
    let feeds = connections.filter { $0.feed == feed }
    guard isExempt || feeds.count(where: { $0.owner == owner }) < limits.feedsPerOwner
    else { return false }
    let places = limits.feedsPerProtocol - (isExempt ? 0 : limits.reservedRootFeeds)
    return feeds.count < places || feeds.contains { isIdle($0, clients) }
  }

  /// Closes connections without access or without a complete request, while their number exceeds
  /// `ServerLimits.idleConnections`.
  ///
  /// The oldest connection of the owner with the most connections is closed first, so that one
  /// owner's many connections cannot displace a single connection of another owner that is waiting
  /// for an operator. Among several such owners, the oldest connection is closed, so that a new client
  /// has the time in which its policy is read.
  ///
  /// Likewise makes room for the clients of each protocol of feeds, and for browsers, most of all for
  /// those with a session.
  mutating func evictUnauthorized(_ clients: ClientTable, _ now: MonotonicTime) -> [Action] {
    var actions = evictUnauthorized(above: limits.idleConnections, clients, now) { _ in true }
    actions += evictUnauthorized(
      above: limits.webConnections - limits.reservedWebConnections, clients, now
    ) { $0.owner.isBrowser && $0.session == nil }
    actions += evictUnauthorized(within: limits.webConnections, clients, now) { $0.owner.isBrowser }
    for feed in FeedProtocol.allCases {
      actions += evictUnauthorized(within: limits.feedsPerProtocol, clients, now) {
        $0.feed == feed
      }
    }
    return actions + evictUnreservedFeeds(clients, now)
  }

  /// Closes the newest feeds with access while they leave too few places of their protocol to root and
  /// to clients with a rule.
  ///
  /// Whether a client has a rule is known only after its policy has been read.
  mutating func evictUnreservedFeeds(_ clients: ClientTable, _ now: MonotonicTime) -> [Action] {
    FeedProtocol.allCases.flatMap { feed -> [Action] in
      let unreserved = connections.filter { connection in
        connection.feed == feed && isBusy(connection, clients) && !isExempt(connection.owner.userID)
          && connection.client.flatMap { clients[$0]?.hasRule } != true
      }
      let surplus = unreserved.count - (limits.feedsPerProtocol - limits.reservedFeeds)
      return unreserved.suffix(max(surplus, 0)).flatMap { evict($0.id, now) }
    }
  }

  /// Closes included connections without access, while there are more than `limit` with those that
  /// have access.
  private mutating func evictUnauthorized(
    within limit: Int, _ clients: ClientTable, _ now: MonotonicTime,
    where isIncluded: (ServerConnection) -> Bool
  ) -> [Action] {
    let busyCount = connections.count { isIncluded($0) && isBusy($0, clients) }
    return evictUnauthorized(above: max(limit - busyCount, 0), clients, now, where: isIncluded)
  }

  private mutating func evictUnauthorized(
    above limit: Int, _ clients: ClientTable, _ now: MonotonicTime,
    where isIncluded: (ServerConnection) -> Bool
  ) -> [Action] {
    var idle: [ConnectionOwner: [ID]] = [:]
    var count = 0
    for connection in connections where isIncluded(connection) && isIdle(connection, clients) {
      idle[connection.owner, default: []].append(connection.id)
      count += 1
    }
    var actions: [Action] = []
    while count > limit {
      let largestOwner = idle.max {
        ($0.value.count, $1.value.first ?? 0) < ($1.value.count, $0.value.first ?? 0)
      }
      guard let owner = largestOwner?.key, let oldest = largestOwner?.value.first else { break }
      idle[owner]?.removeFirst()
      count -= 1
      actions += evict(oldest, now)
    }
    return actions
  }

  /// Whether a connection may be closed to make room: it has no access, or no complete request.
  ///
  /// A client without access may also read a response very slowly.
  private func isIdle(_ connection: ServerConnection, _ clients: ClientTable) -> Bool {
    guard !isExempt(connection.owner.userID), !connection.isEvicted else { return false }
    switch connection.phase {
    case .readingStatus: return false
    case .reading, .opening: return true
    case .locating, .asking, .askingFullAccuracy, .streaming, .answering:
      return connection.client.map { clients.access(of: $0) } ?? .nothing == .nothing
    }
  }

  private func isBusy(_ connection: ServerConnection, _ clients: ClientTable) -> Bool {
    !connection.isEvicted && !isIdle(connection, clients)
  }

  mutating func evict(_ id: ID, _ now: MonotonicTime) -> [Action] {
    refusedCount += 1
    guard let index = index(of: id) else { return [.abort(id)] }
    connections[index].isEvicted = true
    let phase = connections[index].phase
    guard connections[index].feed == nil, phase != .streaming, phase != .answering else {
      connections[index].phase = .answering
      return [.abort(id)]
    }
    return refuse(id, .busy, now)
  }
}
