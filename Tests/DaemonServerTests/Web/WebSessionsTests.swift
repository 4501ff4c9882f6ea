// SPDX-License-Identifier: Apache-2.0

import LocationServices
import Positioning
import SystemSupport
import Testing

@testable import DaemonServer

@Suite("Links and sessions of browsers") struct WebSessionsTests {
  private static let root = ClientIdentity(userID: 0)
  private static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

  /// Sessions with a repeatable source of tokens.
  private struct Fixture {
    var sessions = WebSessions()
    var generator = SplitMix64(seed: 1)
    var now = WebSessionsTests.start

    mutating func token() -> WebToken { WebToken(using: &generator) }

    mutating func link(_ client: ClientIdentity = WebSessionsTests.root) -> WebToken {
      let token = token()
      sessions.mint(token, for: client, at: now)
      return token
    }

    mutating func secret() -> WebSessions.Secret { WebSessions.Secret(using: &generator) }

    mutating func open(_ link: WebToken) -> (secret: WebSessions.Secret, session: WebSession)? {
      let secret = secret()
      return sessions.redeem(link.text, as: secret, at: now).map { (secret, $0.session) }
    }

    mutating func session(_ secret: WebSessions.Secret) -> WebSession? {
      sessions.session(secret.cookie.text, key: secret.key.text, at: now)
    }
  }

  @Test func `a link opens one session with the identity of its user, and only once`() throws {
    var fixture = Fixture()
    let client = ClientIdentity(userID: 1000, systemUnit: "a.service")
    let link = fixture.link(client)
    let result = fixture.open(link)
    let opened = try #require(result)
    #expect(opened.session.client == client && opened.session.number == 1)
    #expect(fixture.session(opened.secret) == opened.session)
    #expect(fixture.open(link) == nil)
    #expect(fixture.sessions.session(link.text, at: fixture.now) == nil)
    #expect(fixture.sessions.session("", at: fixture.now) == nil)
    #expect(fixture.sessions.redeem("", as: fixture.secret(), at: fixture.now) == nil)
  }

  @Test func `the cookie of a session, which all ports of a host receive, is not enough without the key`() throws {
    var fixture = Fixture()
    let (first, second) = (fixture.link(), fixture.link())
    let result = fixture.open(first)
    let opened = try #require(result)
    let other = fixture.open(second)
    let (cookie, key) = (opened.secret.cookie.text, opened.secret.key.text)
    #expect(cookie != key)
    let otherKey = try #require(other).secret.key.text
    for wrong in ["", cookie, otherKey, String(key.dropLast())] {
      #expect(fixture.sessions.session(cookie, key: wrong, at: fixture.now) == nil)
    }
    #expect(fixture.sessions.session(key, key: key, at: fixture.now) == nil)
    #expect(fixture.sessions.session(cookie, at: fixture.now) == opened.session)
  }

  @Test func `the end of a user's sessions also makes the links of the user void`() throws {
    var fixture = Fixture()
    let user = ClientIdentity(userID: 1000)
    let (first, second) = (fixture.link(user), fixture.link(user))
    let root = fixture.link()
    let result = fixture.open(first)
    let opened = try #require(result)
    #expect(fixture.sessions.end { $0 == user } == [opened.session.number])
    #expect(fixture.session(opened.secret) == nil && fixture.open(second) == nil)
    let rootResult = fixture.open(root)
    let rootSession = try #require(rootResult)
    fixture.sessions.end(rootSession.session.number)
    #expect(fixture.session(rootSession.secret) == nil && fixture.sessions.all.isEmpty)
  }

  @Test func `a link expires after five minutes, and a session after twelve hours`() throws {
    var fixture = Fixture()
    let (early, late) = (fixture.link(), fixture.link())
    fixture.now = Self.start.advanced(bySeconds: 299)
    let result = fixture.open(early)
    let opened = try #require(result)
    fixture.now = Self.start.advanced(bySeconds: 300)
    #expect(fixture.open(late) == nil)
    let end = Self.start.advanced(bySeconds: 299 + 43_200)
    #expect(opened.session.end == end)
    let before = Self.start.advanced(bySeconds: 299 + 43_199)
    let (cookie, key) = (opened.secret.cookie.text, opened.secret.key.text)
    #expect(fixture.sessions.session(cookie, key: key, at: before) != nil)
    #expect(fixture.sessions.session(cookie, key: key, at: end) == nil)
    #expect(fixture.sessions.all.isEmpty)
  }

  @Test func `above 64 sessions, the oldest one of the user with the most ends`() throws {
    var fixture = Fixture()
    let first = fixture.link()
    let result = fixture.open(first)
    let rootSession = try #require(result).session
    var removed: [UInt64] = []
    for _ in 0..<70 {
      let link = fixture.link(ClientIdentity(userID: 1000))
      let opened = fixture.sessions.redeem(link.text, as: fixture.secret(), at: fixture.now)
      if let number = opened?.removed { removed.append(number) }
    }
    #expect(fixture.sessions.all.count == WebSessions.maxCount)
    #expect(fixture.sessions.all.first == rootSession)
    #expect(removed == Array(2...8))
  }

  @Test func `above 64 links, a user cannot remove the link of another user`() {
    var fixture = Fixture()
    let link = fixture.link()
    for _ in 0..<100 { _ = fixture.link(ClientIdentity(userID: 1000)) }
    #expect(fixture.open(link) != nil)
  }

  @Test func `a token has 256 bits, differs from the next one, and matches only itself`() {
    var generator = SystemRandomNumberGenerator()
    let (first, second) = (WebToken(using: &generator), WebToken(using: &generator))
    #expect(first.text.count == 64 && first.text.allSatisfy(\.isHexDigit))
    #expect(first != second && first.matches(first.text) && !first.matches(second.text))
    #expect(!first.matches(first.text.dropLast()) && !first.matches(first.text + "0"))
    #expect(!first.matches(String(first.text.reversed())))
  }
}
