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
  private struct World {
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

    mutating func open(
      _ link: WebToken
    ) -> (secret: WebSessions.Secret, session: WebSession)? {
      let secret = secret()
      return sessions.redeem(link.text, as: secret, at: now).map { (secret, $0.session) }
    }

    mutating func session(_ secret: WebSessions.Secret) -> WebSession? {
      sessions.session(secret.cookie.text, key: secret.key.text, at: now)
    }
  }

  @Test func `a link opens one session with the identity of its user, and only once`() throws {
    var world = World()
    let client = ClientIdentity(userID: 1000, systemUnit: "a.service")
    let link = world.link(client)
    let result = world.open(link)
    let opened = try #require(result)
    #expect(opened.session.client == client && opened.session.number == 1)
    #expect(world.session(opened.secret) == opened.session)
    #expect(world.open(link) == nil)
    #expect(world.sessions.session(link.text, at: world.now) == nil)
    #expect(world.sessions.session("", at: world.now) == nil)
    #expect(world.sessions.redeem("", as: world.secret(), at: world.now) == nil)
  }

  @Test func `the cookie of a session, which all ports of a host receive, is not enough without the key`() throws {
    var world = World()
    let (first, second) = (world.link(), world.link())
    let result = world.open(first)
    let opened = try #require(result)
    let other = world.open(second)
    let (cookie, key) = (opened.secret.cookie.text, opened.secret.key.text)
    #expect(cookie != key)
    let otherKey = try #require(other).secret.key.text
    for wrong in ["", cookie, otherKey, String(key.dropLast())] {
      #expect(world.sessions.session(cookie, key: wrong, at: world.now) == nil)
    }
    #expect(world.sessions.session(key, key: key, at: world.now) == nil)
    #expect(world.sessions.session(cookie, at: world.now) == opened.session)
  }

  @Test func `the end of a user's sessions also makes the links of the user void`() throws {
    var world = World()
    let user = ClientIdentity(userID: 1000)
    let (first, second) = (world.link(user), world.link(user))
    let root = world.link()
    let result = world.open(first)
    let opened = try #require(result)
    #expect(world.sessions.end { $0 == user } == [opened.session.number])
    #expect(world.session(opened.secret) == nil && world.open(second) == nil)
    let rootResult = world.open(root)
    let rootSession = try #require(rootResult)
    world.sessions.end(rootSession.session.number)
    #expect(world.session(rootSession.secret) == nil && world.sessions.all.isEmpty)
  }

  @Test func `a link expires after five minutes, and a session after twelve hours`() throws {
    var world = World()
    let (early, late) = (world.link(), world.link())
    world.now = Self.start.advanced(bySeconds: 299)
    let result = world.open(early)
    let opened = try #require(result)
    world.now = Self.start.advanced(bySeconds: 300)
    #expect(world.open(late) == nil)
    let end = Self.start.advanced(bySeconds: 299 + 43_200)
    #expect(opened.session.end == end)
    let before = Self.start.advanced(bySeconds: 299 + 43_199)
    let (cookie, key) = (opened.secret.cookie.text, opened.secret.key.text)
    #expect(world.sessions.session(cookie, key: key, at: before) != nil)
    #expect(world.sessions.session(cookie, key: key, at: end) == nil)
    #expect(world.sessions.all.isEmpty)
  }

  @Test func `above 64 sessions, the oldest one of the user with the most ends`() throws {
    var world = World()
    let first = world.link()
    let result = world.open(first)
    let rootSession = try #require(result).session
    var removed: [UInt64] = []
    for _ in 0..<70 {
      let link = world.link(ClientIdentity(userID: 1000))
      let opened = world.sessions.redeem(link.text, as: world.secret(), at: world.now)
      if let number = opened?.removed { removed.append(number) }
    }
    #expect(world.sessions.all.count == WebSessions.maxCount)
    #expect(world.sessions.all.first == rootSession)
    #expect(removed == Array(2...8))
  }

  @Test func `above 64 links, a user cannot remove the link of another user`() {
    var world = World()
    let link = world.link()
    for _ in 0..<100 { _ = world.link(ClientIdentity(userID: 1000)) }
    #expect(world.open(link) != nil)
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
