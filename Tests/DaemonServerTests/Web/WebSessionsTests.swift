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

    mutating func open(_ link: WebToken) -> (token: WebToken, session: WebSession)? {
      let token = token()
      return sessions.redeem(link.text, as: token, at: now).map { (token, $0.session) }
    }
  }

  @Test("a link opens one session with the identity of its user, and only once")
  func once() throws {
    var world = World()
    let client = ClientIdentity(userID: 1000, systemUnit: "a.service")
    let link = world.link(client)
    let result = world.open(link)
    let opened = try #require(result)
    #expect(opened.session.client == client && opened.session.number == 1)
    #expect(world.sessions.session(opened.token.text, at: world.now) == opened.session)
    #expect(world.open(link) == nil)
    #expect(world.sessions.session(link.text, at: world.now) == nil)
    #expect(world.sessions.session("", at: world.now) == nil)
    #expect(world.sessions.redeem("", as: world.token(), at: world.now) == nil)
  }

  @Test("a link expires after five minutes, and a session after twelve hours")
  func expiry() throws {
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
    #expect(world.sessions.session(opened.token.text, at: before) != nil)
    #expect(world.sessions.session(opened.token.text, at: end) == nil)
    #expect(world.sessions.all.isEmpty)
  }

  @Test("above 64 sessions, the oldest one of the user with the most ends")
  func limit() throws {
    var world = World()
    let first = world.link()
    let result = world.open(first)
    let rootSession = try #require(result).session
    var removed: [UInt64] = []
    for _ in 0..<70 {
      let link = world.link(ClientIdentity(userID: 1000))
      let opened = world.sessions.redeem(link.text, as: world.token(), at: world.now)
      if let number = opened?.removed { removed.append(number) }
    }
    #expect(world.sessions.all.count == WebSessions.maxCount)
    #expect(world.sessions.all.first == rootSession)
    #expect(removed == Array(2...8))
  }

  @Test("above 64 links, a user cannot remove the link of another user")
  func linkLimit() {
    var world = World()
    let link = world.link()
    for _ in 0..<100 { _ = world.link(ClientIdentity(userID: 1000)) }
    #expect(world.open(link) != nil)
  }

  @Test("a token has 256 bits, differs from the next one, and matches only itself")
  func tokens() {
    var generator = SystemRandomNumberGenerator()
    let (first, second) = (WebToken(using: &generator), WebToken(using: &generator))
    #expect(first.text.count == 64 && first.text.allSatisfy(\.isHexDigit))
    #expect(first != second && first.matches(first.text) && !first.matches(second.text))
    #expect(!first.matches(first.text.dropLast()) && !first.matches(first.text + "0"))
    #expect(!first.matches(String(first.text.reversed())))
  }
}
