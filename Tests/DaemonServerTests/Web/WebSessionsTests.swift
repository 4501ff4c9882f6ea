// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
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
    #expect(fixture.session(rootSession.secret) == nil && fixture.sessions.all(at: fixture.now).isEmpty)
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
    #expect(fixture.sessions.all(at: end).isEmpty)
  }

  @Test func `one session ends by its number, if it is the user's own`() throws {
    var fixture = Fixture()
    let user = ClientIdentity(userID: 1000)
    let links = [fixture.link(user), fixture.link(user), fixture.link()]
    for link in links { _ = fixture.open(link) }
    #expect(fixture.sessions.end(2) { $0 == user } == [2])
    #expect(fixture.sessions.end(3) { $0 == user }.isEmpty)
    #expect(fixture.sessions.all(at: fixture.now).map(\.number) == [1, 3])
  }

  @Test func `sessions continue after a restart with the rest of their time, and their secrets are not saved`() throws {
    var fixture = Fixture()
    let client = ClientIdentity(userID: 1000, systemUnit: "a.service")
    let link = fixture.link(client)
    let result = fixture.open(link)
    let opened = try #require(result)
    let later = Self.start.advanced(bySeconds: 3600)
    let saved = fixture.sessions.saved(at: later, utc: .noon)
    let text = try String(decoding: JSONEncoder().encode(saved.sessions), as: UTF8.self)
    #expect(!text.contains(opened.secret.cookie.text) && !text.contains(opened.secret.key.text))
    // The monotonic clock starts anew with each boot.
    let boot = MonotonicTime(nanoseconds: 5_000_000_000)
    fixture.sessions = WebSessions()
    fixture.sessions.restore(saved, at: boot, utc: .noon(plus: 600))
    fixture.now = boot
    let found = fixture.session(opened.secret)
    let continued = try #require(found)
    #expect(continued.client == client && continued.number == opened.session.number)
    #expect(continued.end == boot.advanced(bySeconds: 43_200 - 3600 - 600))
    let next = fixture.link()
    let second = fixture.open(next)
    #expect(try #require(second).session.number == opened.session.number + 1)
  }

  @Test func `the number of a session that has ended is not used again after a restart`() throws {
    var fixture = Fixture()
    for _ in 0..<2 {
      let link = fixture.link()
      _ = fixture.open(link)
    }
    fixture.sessions.end(2)
    let saved = fixture.sessions.saved(at: fixture.now, utc: .noon)
    fixture.sessions = WebSessions()
    fixture.sessions.restore(saved, at: fixture.now, utc: .noon)
    let link = fixture.link()
    let opened = fixture.open(link)
    #expect(opened?.session.number == 3)
  }

  @Test
  func `a saved session that has expired ends, and with a clock that is behind, it lasts at most twelve hours more`()
    throws
  {
    var fixture = Fixture()
    let link = fixture.link()
    let result = fixture.open(link)
    let opened = try #require(result)
    let saved = fixture.sessions.saved(at: fixture.now, utc: .noon)
    fixture.sessions = WebSessions()
    fixture.sessions.restore(saved, at: fixture.now, utc: .noon(plus: 43_200))
    #expect(fixture.session(opened.secret) == nil)
    fixture.sessions.restore(saved, at: fixture.now, utc: UTCTime(secondsSince1970: 0))
    let end = fixture.now.advanced(bySeconds: Double(WebSessions.sessionSeconds))
    #expect(fixture.session(opened.secret)?.end == end)
  }

  @Test func `saved sessions are bounded, and numbers out of range are ignored`() {
    var sessions = WebSessions()
    let one = WebSessions.Saved.Session(
      number: 1, user: 0, isInOtherGroup: false, cookieHash: "a", keyHash: "b", end: .max)
    var bad = one
    (bad.number, bad.end) = (0, .min)
    let saved = WebSessions.Saved(lastNumber: 1, sessions: [bad] + Array(repeating: one, count: 200))
    sessions.restore(saved, at: Self.start, utc: .noon)
    #expect(sessions.all(at: Self.start).count == WebSessions.maxCount - 1)
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
    #expect(fixture.sessions.all(at: fixture.now).count == WebSessions.maxCount)
    #expect(fixture.sessions.all(at: fixture.now).first == rootSession)
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
