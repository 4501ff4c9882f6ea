// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import FixcastTesting
import LocationServices
import Positioning
import Testing

@testable import DaemonServer

@Suite("Data that the server sends to clients of gpsd and NMEA 0183") struct FeedCoreTests {
  private static let full = Authorization(.authorizedAlways)
  private static let reduced = Authorization(.authorizedAlways, accuracy: .reducedAccuracy)
  private static let watchJSON = #"?WATCH={"enable":true,"json":true}"#
  private static let watchNMEA = #"?WATCH={"enable":true,"nmea":true}"#

  @Test func `a gpsd client with full accuracy gets the version, the answers, and then each epoch`() {
    var fixture = ServerCoreFixture(initial: Self.full)
    let id = fixture.feed()
    #expect(fixture.gpsdClasses(id) == ["VERSION"])
    fixture.receive(id, Self.watchJSON)
    #expect(fixture.gpsdClasses(id) == ["VERSION", "DEVICES", "WATCH"])
    fixture.publishFix()
    fixture.publishSky()
    fixture.publishFix()
    #expect(fixture.gpsdClasses(id).suffix(3) == ["TPV", "SKY", "TPV"])
    #expect(fixture.text(id).contains(ServerCoreFixture.latitude))
    #expect(!fixture.text(id).contains("HTTP/") && !fixture.text(id).contains("event:"))
  }

  @Test func `a gpsd client is answered before its policy has been read`() {
    var fixture = ServerCoreFixture(initial: Self.full)
    fixture.opensPolicies = false
    let id = fixture.feed()
    fixture.receive(id, Self.watchJSON)
    fixture.publishFix()
    fixture.advance(seconds: 5)
    #expect(fixture.gpsdClasses(id) == ["VERSION", "DEVICES", "WATCH", "DEVICE"])
  }

  @Test(arguments: [AuthorizationStatus.notDetermined, .denied, .restricted])
  func `a client without access gets one error with the command, and a report per second`(status: AuthorizationStatus) {
    var fixture = ServerCoreFixture(initial: Authorization(status))
    fixture.publishFix()
    let id = fixture.feed()
    fixture.receive(id, Self.watchJSON)
    for _ in 0..<5 {
      fixture.publishFix()
      fixture.publishSky()
      fixture.advance(seconds: 1)
    }
    let classes = fixture.gpsdClasses(id)
    #expect(classes.prefix(4) == ["VERSION", "DEVICES", "WATCH", "ERROR"])
    #expect(classes.dropFirst(4).allSatisfy { $0 == "TPV" } && classes.count(of: "TPV") >= 5)
    #expect(fixture.text(id).contains("fixcast auth"))
    #expect(!fixture.text(id).contains(ServerCoreFixture.latitude))
    #expect(fixture.text(id).contains(#""mode":1"#))
    // A client of gpsd states no purpose, so it creates no request for an operator.
    #expect(fixture.asked.isEmpty)
  }

  @Test func `the command in the error is complete even for the long unit name of a container`() {
    var fixture = ServerCoreFixture(initial: Authorization(.denied))
    let unit = "docker-\(String(repeating: "0a", count: 32)).scope"
    let id = fixture.feed(user: 0, unit: unit)
    fixture.receive(id, Self.watchJSON)
    fixture.publishFix()
    fixture.advance(seconds: 1)
    #expect(fixture.text(id).contains("unit=\(unit)\""), "\(fixture.text(id))")
  }

  @Test func `a client that polls gets no error, and no position without access`() {
    for isAllowed in [false, true] {
      var fixture = ServerCoreFixture(initial: isAllowed ? Self.full : Authorization(.denied))
      let id = fixture.feed()
      fixture.receive(id, #"?WATCH={"enable":true}"#)
      fixture.publishFix()
      fixture.receive(id, "?POLL;")
      fixture.advance(seconds: 3)
      #expect(fixture.gpsdClasses(id) == ["VERSION", "DEVICES", "WATCH", "POLL"])
      #expect(fixture.text(id).contains(ServerCoreFixture.latitude) == isAllowed)
    }
  }

  @Test func `a default rule grants access without an operator`() {
    var fixture = ServerCoreFixture()
    fixture.operatorRequests = []
    let id = fixture.feed()
    #expect(fixture.asked.count == 1)
    guard let asked = fixture.asked.first else { return }
    fixture.handle(.answered(asked.key, asked.number, .decided(Self.full)))
    fixture.receive(id, Self.watchJSON)
    fixture.publishFix()
    #expect(fixture.gpsdClasses(id) == ["VERSION", "DEVICES", "WATCH", "DEVICE", "TPV"])
  }

  @Test func `a client with reduced accuracy gets the reduced location each second, nothing finer`() {
    var fixture = ServerCoreFixture(initial: Self.reduced)
    let json = fixture.feed()
    fixture.receive(json, Self.watchJSON)
    let nmea = fixture.feed(.nmea)
    for step in 0..<20 {
      let fix = Fix.at(54.093468333 + Double(step) * 1e-4, 10.824651667) {
        $0.altitudeMetersAboveSeaLevel = 12.5
        ($0.speedMetersPerSecond, $0.courseDegreesTrue) = (7.5, 123.4)
        ($0.source, $0.receivedAt) = ("/dev/ttyACM0", fixture.now)
      }
      fixture.handle(.published(.fix(fix)))
      fixture.publishSky()
      fixture.advance(seconds: 1)
    }
    #expect(fixture.gpsdClasses(json).count(of: "TPV") >= 19)
    #expect(!fixture.gpsdClasses(json).contains("SKY"))
    let text = fixture.text(json)
    #expect(text.contains(#""lat":54.075000000"#))
    for detail in ["54.0934", "10.8246", "PRN", "12.5", "7.5", "123.4", "altMSL", "age"] {
      #expect(!text.contains(detail), "\(detail)")
    }
    let sentences = fixture.text(nmea)
    #expect(sentences.contains("5404.50000,N"), "\(sentences)")
    for detail in ["5405.6", "1049.47", ",12.5", "123.4"] { #expect(!sentences.contains(detail)) }
  }

  @Test func `a revoked client keeps its connection, and gets no further position`() {
    var fixture = ServerCoreFixture(initial: Self.full)
    let id = fixture.feed()
    fixture.receive(id, Self.watchJSON)
    fixture.publishFix()
    let sentBefore = fixture.text(id).count
    fixture.decide(Authorization(.denied))
    for _ in 0..<3 {
      fixture.publishFix()
      fixture.advance(seconds: 1)
    }
    let text = String(fixture.text(id).dropFirst(sentBefore))
    #expect(!text.contains("54.09") && text.contains("ERROR") && text.contains(#""mode":1"#))
    #expect(fixture.ended.isEmpty)
    fixture.decide(Self.full)
    fixture.publishFix()
    #expect(fixture.text(id).hasSuffix("}\r\n"))
    #expect(fixture.text(id).dropFirst(sentBefore).contains("54.09"))
  }

  @Test func `revocation discards queued positions and aborts a write that contains a position`() {
    var fixture = ServerCoreFixture(initial: Self.full)
    let id = fixture.feed()
    fixture.receive(id, Self.watchJSON)
    fixture.publishFix()
    fixture.stuck = [id]
    for _ in 0..<5 { fixture.publishFix() }
    fixture.decide(Authorization(.denied))
    #expect(fixture.ended == [id])
    #expect(fixture.actions.contains(.abort(id)))
  }

  @Test func `a slow client loses the oldest reports, which are counted, and is closed after 180 s`() {
    var fixture = ServerCoreFixture(initial: Self.full)
    let id = fixture.feed()
    fixture.receive(id, Self.watchJSON)
    fixture.publishFix()
    fixture.stuck = [id]
    for _ in 0..<100 { fixture.publishFix() }
    #expect(fixture.core.server.connections.feedCounts(.gpsd) == (1, 67))
    fixture.advance(seconds: 179)
    #expect(fixture.ended.isEmpty)
    fixture.advance(seconds: 2)
    #expect(fixture.ended == [id])
    #expect(fixture.core.server.connections.feedCounts(.gpsd) == (0, 67))
    #expect(!fixture.text(id).contains("dropped"))
  }

  @Test func `an idle client gets no heartbeat, which is not part of its protocol`() {
    var fixture = ServerCoreFixture(initial: Self.full)
    let ids = [fixture.feed(), fixture.feed(.nmea)]
    fixture.receive(ids[0], Self.watchJSON)
    let before = ids.map { fixture.text($0) }
    fixture.advance(seconds: 60)
    #expect(ids.map { fixture.text($0) } == before)
    #expect(fixture.core.nextDeadline == nil)
  }

  @Test func `a client with reduced accuracy that watches the second receiver gets its location`() {
    var fixture = ServerCoreFixture(initial: Self.reduced)
    for name in ["/dev/ttyUSB0", "/dev/ttyACM0"] {
      fixture.handle(.published(.receiver(ReceiverInfo(name: name, isActive: true), at: nil)))
    }
    let id = fixture.feed()
    fixture.receive(id, #"?WATCH={"enable":true,"json":true,"device":"/dev/ttyACM0"}"#)
    for _ in 0..<3 {
      fixture.publishFix()
      fixture.advance(seconds: 1)
    }
    #expect(fixture.text(id).contains(#""lat":54.075000000"#), "\(fixture.text(id))")
  }

  @Test func `the list of devices follows the receivers`() {
    var fixture = ServerCoreFixture(initial: Authorization(.denied))
    let id = fixture.feed()
    fixture.receive(id, Self.watchJSON)
    fixture.handle(
      .published(
        .receiver(ReceiverInfo(name: "/dev/ttyACM0", isActive: true), at: UTCTime(secondsSince1970: 1_700_000_000))))
    #expect(fixture.text(id).contains(#""path":"/dev/ttyACM0""#))
    #expect(fixture.text(id).contains(#""activated":"2023-11-14T22:13:20"#))
    let late = fixture.feed()
    fixture.receive(late, "?DEVICES;")
    #expect(fixture.text(late).contains("/dev/ttyACM0"))
    let loss = SourceLoss(.deactivated, receiver: "/dev/ttyACM0")
    fixture.handle(.published(.lost(loss, source: "auto")))
    #expect(fixture.text(id).contains(#""activated":0"#))
    // The receivers report an unplugged receiver as inactive, too.
    let inactive = ReceiverInfo(name: "/dev/ttyACM0", isActive: false)
    fixture.handle(.published(.receiver(inactive, at: nil)))
    #expect(fixture.text(id).ranges(of: #""activated":0"#).count == 1)
    let next = fixture.feed()
    fixture.receive(next, "?DEVICES;")
    #expect(!fixture.text(next).contains("/dev/ttyACM0"))
  }

  @Test func `NMEA clients get synthesised sentences with full accuracy, and an empty RMC without`() {
    for isAllowed in [false, true] {
      var fixture = ServerCoreFixture(initial: isAllowed ? Self.full : Authorization(.denied))
      let ids = [fixture.feed(.nmea), fixture.feed()]
      fixture.receive(ids[1], Self.watchNMEA)
      fixture.publishFix()
      fixture.advance(seconds: 1)
      for id in ids {
        #expect(fixture.text(id).contains("5405.60810,N") == isAllowed, "\(fixture.text(id))")
        #expect(fixture.text(id).contains("GGA,") && fixture.text(id).contains("RMC,"))
      }
    }
  }

  @Test func `a receiver's sentences replace the sentences made from its fix`() {
    var fixture = ServerCoreFixture(initial: Self.full)
    let ids = [fixture.feed(.nmea), fixture.feed()]
    fixture.receive(ids[1], Self.watchNMEA)
    #expect(fixture.core.wantsSentences)
    let sentence = "$GNRMC,as,received*00\r\n"
    fixture.handle(.published(.sentences(Array(sentence.utf8), source: "/dev/ttyACM0")))
    fixture.publishFix()
    #expect(fixture.text(ids[0]) == sentence)
    #expect(fixture.text(ids[1]).hasSuffix(sentence))
    // Without sentences, such as from another source, each fix gives sentences.
    fixture.publishFix()
    #expect(fixture.text(ids[0]).contains("GGA,"))
    let count = fixture.text(ids[0]).count
    fixture.decide(Self.reduced)
    fixture.handle(.published(.sentences(Array(sentence.utf8), source: "/dev/ttyACM0")))
    #expect(fixture.text(ids[0]).count == count && !fixture.core.wantsSentences)
  }

  @Test func `a protocol has 32 clients, and clients without access make room for others`() {
    var fixture = ServerCoreFixture()
    let idle = (0..<32).map { fixture.feed(user: UInt32(60_000 + $0 / 8)) }
    #expect(fixture.ended.isEmpty)
    let other = fixture.feed(user: 1000)
    #expect(fixture.ended.count == 1 && fixture.ended.isSubset(of: idle))
    fixture.decide(Self.full, at: 4)
    fixture.receive(other, Self.watchJSON)
    fixture.publishFix()
    #expect(fixture.text(other).contains(ServerCoreFixture.latitude))
    #expect(fixture.core.server.connections.feedCounts(.gpsd).clients == 32)
  }

  @Test func `a client with a rule gets a place despite a client without access for each of 32 users`() {
    var fixture = ServerCoreFixture()
    let idle = (0..<32).map { fixture.feed(user: UInt32(100_000 + $0)) }
    fixture.operatorRequests = []
    fixture.opensPolicies = false
    let ruled = fixture.feed(user: 1000)
    #expect(fixture.ended == [idle[0]])
    fixture.opensPolicies = true
    for key in fixture.opened.suffix(1) {
      fixture.handle(.policyOpened(key, Authorization(.notDetermined), isDeniedGlobally: false, operatorRequests: []))
    }
    guard let asked = fixture.asked.last else { return #expect(Bool(false), "no request") }
    fixture.handle(.answered(asked.key, asked.number, .decided(Self.full)))
    fixture.receive(ruled, Self.watchJSON)
    for user in 0..<32 { fixture.feed(user: UInt32(200_000 + user)) }
    fixture.publishFix()
    #expect(fixture.text(ruled).contains(ServerCoreFixture.latitude) && !fixture.ended.contains(ruled))
  }

  @Test func `a protocol has 8 clients of an owner, and the daemon's own user has no such limit`() {
    for feed in FeedProtocol.allCases {
      for initial in [Self.full, Self.reduced, Authorization(.notDetermined)] {
        var fixture = ServerCoreFixture(initial: initial)
        for _ in 0..<32 { fixture.feed(feed, user: 1000) }
        #expect(fixture.core.server.connections.feedCounts(feed).clients == 8)
        #expect(fixture.core.server.connections.refusedCount == 24)
        // Another unit of the user is another owner.
        fixture.feed(feed, user: 1000, unit: "a.service")
        for _ in 0..<15 { fixture.feed(feed, user: 990) }
        #expect(fixture.core.server.connections.feedCounts(feed).clients == 24)
      }
    }
  }

  @Test func `a protocol has 24 clients with access, and 8 more of root`() {
    var fixture = ServerCoreFixture(initial: Self.full)
    let feeds = (0..<24).map { fixture.feed(user: UInt32(2000 + $0)) }
    // Whether the client has a rule is known only after its policy was read.
    let late = fixture.feed(user: 3000)
    #expect(fixture.ended == [late] && fixture.core.server.connections.refusedCount == 1)
    let root = (0..<8).map { _ in fixture.feed(user: 0) }
    #expect(fixture.core.server.connections.feedCounts(.gpsd).clients == 32)
    let count = fixture.core.server.connections.count
    fixture.feed(user: 0)
    #expect(fixture.core.server.connections.count == count)
    // The limit of one protocol does not affect the other one.
    fixture.feed(.nmea, user: 3000)
    #expect(fixture.core.server.connections.count == count + 1)
    #expect(fixture.ended.isDisjoint(with: feeds + root))
  }

  @Test func `a client to which a rule gives access gets one of the reserved places`() {
    var fixture = ServerCoreFixture(initial: Self.full)
    for user in 0..<24 { fixture.feed(user: UInt32(2000 + user)) }
    fixture.initial = Authorization(.notDetermined)
    fixture.operatorRequests = []
    let ruled = fixture.feed(user: 3000)
    guard let asked = fixture.asked.last else { return #expect(Bool(false), "no request") }
    fixture.handle(.answered(asked.key, asked.number, .decided(Self.full)))
    fixture.receive(ruled, Self.watchJSON)
    fixture.publishFix()
    #expect(fixture.ended.isEmpty && fixture.text(ruled).contains(ServerCoreFixture.latitude))
  }

  @Test func `root gets a place although a rule gives access to more clients than there are places`() {
    var fixture = ServerCoreFixture()
    fixture.operatorRequests = []
    for number in 0..<40 {
      fixture.feed(user: UInt32(2000 + number / 8))
      if let asked = fixture.asked.last {
        fixture.handle(.answered(asked.key, asked.number, .decided(Self.full)))
      }
    }
    #expect(fixture.core.server.connections.feedCounts(.gpsd).clients == 28)
    let root = (0..<4).map { _ in fixture.feed(user: 0) }
    #expect(fixture.core.server.connections.feedCounts(.gpsd).clients == 32 && fixture.ended.isDisjoint(with: root))
  }

  @Test func `an HTTP request ends the connection of a gpsd client before it is answered`() {
    let query = #"/?WATCH={"enable":true,"json":true};"#
    for method in ["GET", "POST", "HEAD", "PUT", "OPTIONS", "CONNECT", "DELETE", "PRI", "get"] {
      for pieces in [["\(method) \(query) HTTP/1.1\r\n"], [method, " ", query]] {
        var fixture = ServerCoreFixture(initial: Self.full)
        let id = fixture.feed()
        for piece in pieces { fixture.receive(id, piece) }
        fixture.publishFix()
        #expect(fixture.ended == [id] && fixture.gpsdClasses(id) == ["VERSION"], "\(pieces)")
        #expect(fixture.core.server.connections.refusedCount == 1)
      }
    }
  }
}

extension [String] {
  fileprivate func count(of element: String) -> Int { count { $0 == element } }
}

extension ServerCoreFixture {
  /// Connects a client of gpsd or NMEA 0183, and returns the connection.
  @discardableResult
  mutating func feed(_ feed: FeedProtocol = .gpsd, user: UInt32 = 1000, unit: String? = nil) -> UInt64 {
    let id = nextID()
    let owner = ConnectionOwner(userID: user, systemUnit: unit)
    guard core.connect(id, owner: owner, feed: feed, at: now) == nil else { return id }
    handle(.connected(id))
    let identity = ClientIdentity(userID: user, systemUnit: unit)
    handle(.feedConnected(id, PeerEvidence(identity: identity, process: .unknown)))
    return id
  }

  mutating func receive(_ id: UInt64, _ text: String) {
    handle(.received(id, Array(text.utf8), nil))
    // A report without access is due at once.
    handle(.deadlineReached)
  }

  /// The classes of the objects sent to a gpsd client.
  func gpsdClasses(_ id: UInt64) -> [String] {
    text(id).split(separator: "\r\n").compactMap { line in
      guard line.hasPrefix(#"{"class":""#) else { return nil }
      return String(line.dropFirst(10).prefix { $0 != "\"" })
    }
  }
}
