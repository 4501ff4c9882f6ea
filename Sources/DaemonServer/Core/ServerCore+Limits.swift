// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import Positioning

/// Limits on the connections of each owner, and on those without access.
extension ServerCore {
  /// Whether a user is exempt from most limits: root and the user that the daemon runs as.
  func isExempt(_ userID: UInt32) -> Bool { Self.isExempt(userID, ownUser: ownUser) }

  static func isExempt(_ userID: UInt32, ownUser: UInt32) -> Bool {
    userID == 0 || userID == ownUser
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
  mutating func evictUnauthorized(_ now: MonotonicTime) -> [Action] {
    var actions = evictUnauthorized(above: limits.idleConnections, now) { _ in true }
    actions += evictUnauthorized(
      above: limits.webConnections - limits.reservedWebConnections, now
    ) { $0.owner.isBrowser && $0.session == nil }
    let busyBrowserCount = connections.values.count {
      $0.owner.isBrowser && !$0.isEvicted && !isIdle($0)
    }
    actions += evictUnauthorized(above: max(limits.webConnections - busyBrowserCount, 0), now) {
      $0.owner.isBrowser
    }
    for feed in FeedProtocol.allCases {
      let busyCount = connections.values.count {
        $0.format.feed == feed && !$0.isEvicted && !isIdle($0)
      }
      let room = max(limits.feedsPerProtocol - busyCount, 0)
      actions += evictUnauthorized(above: room, now) { $0.format.feed == feed }
    }
    return actions + evictUnreservedFeeds(now)
  }

  /// Closes the newest feeds with access while they leave too few places of their protocol to root and
  /// to clients with a rule.
  ///
  /// Whether a client has a rule is known only after its policy has been read.
  mutating func evictUnreservedFeeds(_ now: MonotonicTime) -> [Action] {
    FeedProtocol.allCases.flatMap { feed -> [Action] in
      let unreserved = connections.filter { _, connection in
        connection.format.feed == feed && !connection.isEvicted && !isIdle(connection)
          && !isExempt(connection.owner.userID)
          && connection.client.flatMap { clients[$0]?.hasRule } != true
      }
      let surplus = unreserved.count - (limits.feedsPerProtocol - limits.reservedFeeds)
      return unreserved.keys.sorted().suffix(max(surplus, 0)).flatMap { evict($0, now) }
    }
  }

  private mutating func evictUnauthorized(
    above limit: Int, _ now: MonotonicTime, where isIncluded: (ServerConnection) -> Bool
  ) -> [Action] {
    var idle: [ConnectionOwner: [ConnectionID]] = [:]
    var count = 0
    for (id, connection) in connections where isIncluded(connection) && isIdle(connection) {
      idle[connection.owner, default: []].append(id)
      count += 1
    }
    var actions: [Action] = []
    while count > limit {
      let largestOwner = idle.max {
        ($0.value.count, $1.value.min() ?? 0) < ($1.value.count, $0.value.min() ?? 0)
      }
      guard let largestOwner, let oldest = largestOwner.value.min() else { break }
      idle[largestOwner.key]?.removeAll { $0 == oldest }
      count -= 1
      actions += evict(oldest, now)
    }
    return actions
  }

  /// Whether a connection may be closed to make room: it has no access, or no complete request.
  ///
  /// A client without access may also read a response very slowly.
  func isIdle(_ connection: ServerConnection) -> Bool {
    guard !isExempt(connection.owner.userID), !connection.isEvicted else { return false }
    switch connection.phase {
    case .readingStatus: return false
    case .reading, .opening: return true
    case .locating, .asking, .askingFullAccuracy, .streaming, .answering:
      return connection.client.map { clients.access(of: $0) } ?? .nothing == .nothing
    }
  }

  mutating func evict(_ id: ConnectionID, _ now: MonotonicTime) -> [Action] {
    refusedCount += 1
    connections[id]?.isEvicted = true
    guard let connection = connections[id], connection.format.feed == nil,
      connection.phase != .streaming, connection.phase != .answering
    else {
      connections[id]?.phase = .answering
      return [.abort(id)]
    }
    return refuse(id, .busy, now)
  }

  // MARK: Room for a connection

  /// Whether a protocol has room for another feed of an owner, if need be after a client without
  /// access is evicted.
  func hasRoom(for feed: FeedProtocol, of owner: ConnectionOwner) -> Bool {
    let feeds = connections.values.filter { $0.format.feed == feed }
    let isExempt = isExempt(owner.userID)
    guard isExempt || feeds.count(where: { $0.owner == owner }) < limits.feedsPerOwner
    else { return false }
    let places = limits.feedsPerProtocol - (isExempt ? 0 : limits.reservedRootFeeds)
    return feeds.count < places || feeds.contains(where: isIdle)
  }

  /// Whether there is room for another browser, if need be after one without access is evicted.
  var hasRoomForBrowsers: Bool {
    let browsers = connections.values.filter(\.owner.isBrowser)
    return browsers.count < limits.webConnections || browsers.contains(where: isIdle)
  }
}
