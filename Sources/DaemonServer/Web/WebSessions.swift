// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Positioning
internal import SystemSupport

/// The links that log a browser in, and the sessions of the browsers that have opened one.
///
/// Sessions survive a restart of the daemon, see ``saved(at:utc:)``; links do not. If there are too
/// many, the oldest of the user with the most is removed, so that no user displaces the sessions of
/// others.
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

  /// A session, with the SHA-256 of its two secrets.
  private struct Entry: Sendable {
    var cookieHash: String
    var keyHash: String
    var session: WebSession
  }

  /// The sessions as they are kept in a file, without secrets.
  struct Saved: Equatable, Sendable {
    struct Session: Codable, Equatable, Sendable {
      var number: UInt64
      var user: UInt32
      var unit: String?
      var isInOtherGroup: Bool
      var browser: String?
      var cookieHash: String
      var keyHash: String
      /// The end in seconds since 1970, by the system clock.
      var end: Int64
    }

    /// The number of the newest session, so that no number is used twice.
    var lastNumber: UInt64
    var sessions: [Session]
  }

  private struct Link: Sendable {
    var token: WebToken
    var client: ClientIdentity
    var end: MonotonicTime
  }

  private var links: [Link] = []
  private var sessions: [Entry] = []
  private var lastNumber: UInt64 = 0

  /// The sessions, the oldest first.
  mutating func all(at now: MonotonicTime) -> [WebSession] {
    removeExpired(now)
    return sessions.map(\.session)
  }

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
  ///   - browser: What the browser says about itself.
  ///   - now: The current time.
  /// - Returns: The session, and the number of the session that was removed for it; `nil` if the link
  ///   is unknown, was opened or has expired.
  mutating func redeem(
    _ text: String, as secret: Secret, by browser: String? = nil, at now: MonotonicTime
  ) -> (session: WebSession, removed: UInt64?)? {
    removeExpired(now)
    // Compares with all links, so that the time does not depend on the position of a link.
    let matches = links.indices.filter { links[$0].token.matches(text) }
    guard let index = matches.first else { return nil }
    let link = links.remove(at: index)
    lastNumber &+= 1
    let session = WebSession(
      number: lastNumber, client: link.client, browser: browser,
      end: now.advanced(bySeconds: Double(Self.sessionSeconds)))
    sessions.append(
      Entry(
        cookieHash: SHA256.hexadecimal(secret.cookie.text),
        keyHash: SHA256.hexadecimal(secret.key.text), session: session))
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
    let hash = SHA256.hexadecimal(String(cookie))
    return sessions.first { $0.cookieHash == hash }?.session
  }

  /// Returns the session with a cookie and a key; `nil` if it is unknown or has expired.
  mutating func session(
    _ cookie: some StringProtocol, key: some StringProtocol, at now: MonotonicTime
  ) -> WebSession? {
    removeExpired(now)
    let hashes = (SHA256.hexadecimal(String(cookie)), SHA256.hexadecimal(String(key)))
    return sessions.first { ($0.cookieHash, $0.keyHash) == hashes }?.session
  }

  /// Ends one session of clients, or ends all and makes their links void.
  ///
  /// Returns the numbers of the sessions that have ended.
  mutating func end(
    _ number: UInt64? = nil, where isIncluded: (ClientIdentity) -> Bool
  ) -> [UInt64] {
    if number == nil { links.removeAll { isIncluded($0.client) } }
    let ended = sessions.map(\.session)
      .filter { isIncluded($0.client) && $0.number == number ?? $0.number }.map(\.number)
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

  // MARK: Restart

  /// The sessions for a file; `utc` is the time of the system clock.
  func saved(at now: MonotonicTime, utc: UTCTime) -> Saved {
    Saved(
      lastNumber: lastNumber,
      sessions: sessions.map { entry in
        let (session, client) = (entry.session, entry.session.client)
        return Saved.Session(
          number: session.number, user: client.userID, unit: client.systemUnit,
          isInOtherGroup: client.isInOtherGroup, browser: session.browser,
          cookieHash: entry.cookieHash, keyHash: entry.keyHash,
          end: utc.secondsSince1970 + Int64(max(session.end.seconds(since: now), 0)))
      })
  }

  /// Continues the sessions of a file that have not expired.
  ///
  /// If the system clock is behind, a session lasts at most ``sessionSeconds`` from now.
  mutating func restore(_ saved: Saved, at now: MonotonicTime, utc: UTCTime) {
    lastNumber = max(lastNumber, saved.lastNumber)
    for each in saved.sessions.prefix(Self.maxCount) {
      let (rest, isOutOfRange) = each.end.subtractingReportingOverflow(utc.secondsSince1970)
      guard !isOutOfRange, rest > 0, each.number > 0 else { continue }
      var client = ClientIdentity(userID: each.user, systemUnit: each.unit)
      client.isInOtherGroup = each.isInOtherGroup
      let end = now.advanced(bySeconds: Double(min(rest, Int64(Self.sessionSeconds))))
      sessions.append(
        Entry(
          cookieHash: each.cookieHash, keyHash: each.keyHash,
          session: WebSession(
            number: each.number, client: client, browser: each.browser, end: end)))
      lastNumber = max(lastNumber, each.number)
    }
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
