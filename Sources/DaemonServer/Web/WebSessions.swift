// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Positioning

/// The links that log a browser in, and the sessions of the browsers that have opened one.
///
/// Both exist in memory only, so a restart of the daemon ends all sessions. If there are too many,
/// the oldest of the user with the most is removed, so that no user displaces the sessions of others.
struct WebSessions: Sendable {
  /// The time in which a link has to be opened, in seconds.
  static let linkSeconds = 300
  /// The lifetime of a session, in seconds.
  static let sessionSeconds = 43_200
  /// The maximum number of sessions, and of links that have not been opened.
  static let maxCount = 64

  /// The two secrets of a session.
  ///
  /// A browser sends its cookies to all ports of a host, so programs of other users receive the cookie
  /// too. The key is in the storage of the page, which belongs to one port.
  struct Secret: Equatable, Sendable {
    var cookie: WebToken
    var key: WebToken

    init(using generator: inout some RandomNumberGenerator) {
      cookie = WebToken(using: &generator)
      key = WebToken(using: &generator)
    }
  }

  private struct Link: Sendable {
    var token: WebToken
    var client: ClientIdentity
    var end: MonotonicTime
  }

  private var links: [Link] = []
  private var sessions: [(secret: Secret, session: WebSession)] = []
  private var lastNumber: UInt64 = 0

  /// The current sessions, the oldest first.
  var all: [WebSession] { sessions.map(\.session) }

  /// Records a link of a user.
  mutating func mint(_ token: WebToken, for client: ClientIdentity, at now: MonotonicTime) {
    removeExpired(now)
    links.append(
      Link(token: token, client: client, end: now.advanced(bySeconds: Double(Self.linkSeconds))))
    if links.count > Self.maxCount {
      links.remove(at: Self.surplus(links.map(\.client.userID)))
    }
  }

  /// Opens a link, which can be opened once.
  ///
  /// - Parameters:
  ///   - text: The token of the link.
  ///   - secret: The secrets of the new session.
  ///   - now: The current time.
  /// - Returns: The session, and the number of the session that was removed for it; `nil` if the link
  ///   is unknown, was opened or has expired.
  mutating func redeem(
    _ text: String, as secret: Secret, at now: MonotonicTime
  ) -> (session: WebSession, removed: UInt64?)? {
    removeExpired(now)
    // Compares with all links, so that the time does not depend on the position of a link.
    let matches = links.indices.filter { links[$0].token.matches(text) }
    guard let index = matches.first else { return nil }
    let link = links.remove(at: index)
    lastNumber &+= 1
    let session = WebSession(
      number: lastNumber, client: link.client,
      end: now.advanced(bySeconds: Double(Self.sessionSeconds)))
    sessions.append((secret, session))
    var removed: UInt64?
    if sessions.count > Self.maxCount {
      let surplus = Self.surplus(sessions.map(\.session.client.userID))
      removed = sessions.remove(at: surplus).session.number
    }
    return (session, removed)
  }

  /// Returns the session with a cookie; `nil` if it is unknown or has expired.
  ///
  /// Do not give access to more than the page itself without the session's key, see
  /// ``session(_:key:at:)``.
  mutating func session(_ cookie: some StringProtocol, at now: MonotonicTime) -> WebSession? {
    removeExpired(now)
    return sessions.filter { $0.secret.cookie.matches(cookie) }.first?.session
  }

  /// Returns the session with a cookie and a key; `nil` if it is unknown or has expired.
  mutating func session(
    _ cookie: some StringProtocol, key: some StringProtocol, at now: MonotonicTime
  ) -> WebSession? {
    removeExpired(now)
    return sessions.filter { $0.secret.cookie.matches(cookie) && $0.secret.key.matches(key) }
      .first?.session
  }

  /// Ends the sessions of clients, makes their links void, and returns the numbers of the sessions.
  mutating func end(where isIncluded: (ClientIdentity) -> Bool) -> [UInt64] {
    links.removeAll { isIncluded($0.client) }
    let ended = sessions.map(\.session).filter { isIncluded($0.client) }.map(\.number)
    sessions.removeAll { ended.contains($0.session.number) }
    return ended
  }

  /// Ends a session.
  mutating func end(_ number: UInt64) { sessions.removeAll { $0.session.number == number } }

  /// Removes all links and sessions, and returns the numbers of the sessions.
  mutating func removeAll() -> [UInt64] {
    defer { (links, sessions) = ([], []) }
    return sessions.map(\.session.number)
  }

  private mutating func removeExpired(_ now: MonotonicTime) {
    links.removeAll { $0.end <= now }
    sessions.removeAll { $0.session.end <= now }
  }

  /// The index of the oldest entry of the user with the most entries; of several such users, the one
  /// with the highest number.
  private static func surplus(_ users: [UInt32]) -> Int {
    let counts = Dictionary(grouping: users) { $0 }.mapValues(\.count)
    let user = counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
    return users.firstIndex { $0 == user } ?? 0
  }
}
