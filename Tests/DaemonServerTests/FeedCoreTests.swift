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
    var world = ServerWorld(initial: Self.full)
    let id = world.feed()
    #expect(world.gpsdClasses(id) == ["VERSION"])
    world.receive(id, Self.watchJSON)
    #expect(world.gpsdClasses(id) == ["VERSION", "DEVICES", "WATCH"])
    world.publishFix()
    world.publishSky()
    world.publishFix()
    #expect(world.gpsdClasses(id).suffix(3) == ["TPV", "SKY", "TPV"])
    #expect(world.text(id).contains(ServerWorld.latitude))
    #expect(!world.text(id).contains("HTTP/") && !world.text(id).contains("event:"))
  }

  @Test func `a gpsd client is answered before its policy has been read`() {
    var world = ServerWorld(initial: Self.full)
    world.opensPolicies = false
    let id = world.feed()
    world.receive(id, Self.watchJSON)
    world.publishFix()
    world.advance(seconds: 5)
    #expect(world.gpsdClasses(id) == ["VERSION", "DEVICES", "WATCH", "DEVICE"])
  }

  @Test(arguments: [AuthorizationStatus.notDetermined, .denied, .restricted])
  func `a client without access gets one error with the command, and a report per second`(status: AuthorizationStatus) {
    var world = ServerWorld(initial: Authorization(status))
    world.publishFix()
    let id = world.feed()
    world.receive(id, Self.watchJSON)
    for _ in 0..<5 {
      world.publishFix()
      world.publishSky()
      world.advance(seconds: 1)
    }
    let classes = world.gpsdClasses(id)
    #expect(classes.prefix(4) == ["VERSION", "DEVICES", "WATCH", "ERROR"])
    #expect(classes.dropFirst(4).allSatisfy { $0 == "TPV" } && classes.count(of: "TPV") >= 5)
    #expect(world.text(id).contains("fixcast auth"))
    #expect(!world.text(id).contains(ServerWorld.latitude))
    #expect(world.text(id).contains(#""mode":1"#))
    // A client of gpsd states no purpose, so it creates no request for an operator.
    #expect(world.asked.isEmpty)
  }

  @Test func `the command in the error is complete even for the long unit name of a container`() {
    var world = ServerWorld(initial: Authorization(.denied))
    let unit = "docker-\(String(repeating: "0a", count: 32)).scope"
    let id = world.feed(user: 0, unit: unit)
    world.receive(id, Self.watchJSON)
    world.publishFix()
    world.advance(seconds: 1)
    #expect(world.text(id).contains("unit=\(unit)\""), "\(world.text(id))")
  }

  @Test func `a client that polls gets no error, and no position without access`() {
    for isAllowed in [false, true] {
      var world = ServerWorld(initial: isAllowed ? Self.full : Authorization(.denied))
      let id = world.feed()
      world.receive(id, #"?WATCH={"enable":true}"#)
      world.publishFix()
      world.receive(id, "?POLL;")
      world.advance(seconds: 3)
      #expect(world.gpsdClasses(id) == ["VERSION", "DEVICES", "WATCH", "POLL"])
      #expect(world.text(id).contains(ServerWorld.latitude) == isAllowed)
    }
  }

  @Test func `a default rule grants access without an operator`() {
    var world = ServerWorld()
    world.operatorRequests = []
    let id = world.feed()
    #expect(world.asked.count == 1)
    guard let asked = world.asked.first else { return }
    world.handle(.answered(asked.key, asked.number, .decided(Self.full)))
    world.receive(id, Self.watchJSON)
    world.publishFix()
    #expect(world.gpsdClasses(id) == ["VERSION", "DEVICES", "WATCH", "DEVICE", "TPV"])
  }

  @Test func `a client with reduced accuracy gets the reduced location each second, nothing finer`() {
    var world = ServerWorld(initial: Self.reduced)
    let json = world.feed()
    world.receive(json, Self.watchJSON)
    let nmea = world.feed(.nmea)
    for step in 0..<20 {
      let fix = Fix.at(54.093468333 + Double(step) * 1e-4, 10.824651667) {
        $0.altitudeMetersAboveSeaLevel = 12.5
        ($0.speedMetersPerSecond, $0.courseDegreesTrue) = (7.5, 123.4)
        ($0.source, $0.receivedAt) = ("/dev/ttyACM0", world.now)
      }
      world.handle(.published(.fix(fix)))
      world.publishSky()
      world.advance(seconds: 1)
    }
    #expect(world.gpsdClasses(json).count(of: "TPV") >= 19)
    #expect(!world.gpsdClasses(json).contains("SKY"))
    let text = world.text(json)
    #expect(text.contains(#""lat":54.075000000"#))
    for detail in ["54.0934", "10.8246", "PRN", "12.5", "7.5", "123.4", "altMSL", "age"] {
      #expect(!text.contains(detail), "\(detail)")
    }
    let sentences = world.text(nmea)
    #expect(sentences.contains("5404.50000,N"), "\(sentences)")
    for detail in ["5405.6", "1049.47", ",12.5", "123.4"] { #expect(!sentences.contains(detail)) }
  }

  @Test func `a revoked client keeps its connection, and gets no further position`() {
    var world = ServerWorld(initial: Self.full)
    let id = world.feed()
    world.receive(id, Self.watchJSON)
    world.publishFix()
    let sentBefore = world.text(id).count
    world.decide(Authorization(.denied))
    for _ in 0..<3 {
      world.publishFix()
      world.advance(seconds: 1)
    }
    let text = String(world.text(id).dropFirst(sentBefore))
    #expect(!text.contains("54.09") && text.contains("ERROR") && text.contains(#""mode":1"#))
    #expect(world.ended.isEmpty)
    world.decide(Self.full)
    world.publishFix()
    #expect(world.text(id).hasSuffix("}\r\n"))
    #expect(world.text(id).dropFirst(sentBefore).contains("54.09"))
  }

  @Test func `revocation discards queued positions and aborts a write that contains a position`() {
    var world = ServerWorld(initial: Self.full)
    let id = world.feed()
    world.receive(id, Self.watchJSON)
    world.publishFix()
    world.stuck = [id]
    for _ in 0..<5 { world.publishFix() }
    world.decide(Authorization(.denied))
    #expect(world.ended == [id])
    #expect(world.actions.contains(.abort(id)))
  }

  @Test func `a slow client loses the oldest reports, which are counted, and is closed after 180 s`() {
    var world = ServerWorld(initial: Self.full)
    let id = world.feed()
    world.receive(id, Self.watchJSON)
    world.publishFix()
    world.stuck = [id]
    for _ in 0..<100 { world.publishFix() }
    #expect(world.core.feedCounts(.gpsd) == (1, 67))
    world.advance(seconds: 179)
    #expect(world.ended.isEmpty)
    world.advance(seconds: 2)
    #expect(world.ended == [id])
    #expect(world.core.feedCounts(.gpsd) == (0, 67))
    #expect(!world.text(id).contains("dropped"))
  }

  @Test func `an idle client gets no heartbeat, which is not part of its protocol`() {
    var world = ServerWorld(initial: Self.full)
    let ids = [world.feed(), world.feed(.nmea)]
    world.receive(ids[0], Self.watchJSON)
    let before = ids.map { world.text($0) }
    world.advance(seconds: 60)
    #expect(ids.map { world.text($0) } == before)
    #expect(world.core.nextDeadline == nil)
  }

  @Test func `a client with reduced accuracy that watches the second receiver gets its location`() {
    var world = ServerWorld(initial: Self.reduced)
    for name in ["/dev/ttyUSB0", "/dev/ttyACM0"] {
      world.handle(.published(.receiver(ReceiverInfo(name: name, isActive: true), at: nil)))
    }
    let id = world.feed()
    world.receive(id, #"?WATCH={"enable":true,"json":true,"device":"/dev/ttyACM0"}"#)
    for _ in 0..<3 {
      world.publishFix()
      world.advance(seconds: 1)
    }
    #expect(world.text(id).contains(#""lat":54.075000000"#), "\(world.text(id))")
  }

  @Test func `the list of devices follows the receivers`() {
    var world = ServerWorld(initial: Authorization(.denied))
    let id = world.feed()
    world.receive(id, Self.watchJSON)
    world.handle(
      .published(
        .receiver(
          ReceiverInfo(name: "/dev/ttyACM0", isActive: true),
          at: UTCTime(secondsSince1970: 1_700_000_000))))
    #expect(world.text(id).contains(#""path":"/dev/ttyACM0""#))
    #expect(world.text(id).contains(#""activated":"2023-11-14T22:13:20"#))
    let late = world.feed()
    world.receive(late, "?DEVICES;")
    #expect(world.text(late).contains("/dev/ttyACM0"))
    let loss = SourceLoss(.deactivated, receiver: "/dev/ttyACM0")
    world.handle(.published(.lost(loss, source: "auto")))
    #expect(world.text(id).contains(#""activated":0"#))
    // The receivers report an unplugged receiver as inactive, too.
    let inactive = ReceiverInfo(name: "/dev/ttyACM0", isActive: false)
    world.handle(.published(.receiver(inactive, at: nil)))
    #expect(world.text(id).ranges(of: #""activated":0"#).count == 1)
    let next = world.feed()
    world.receive(next, "?DEVICES;")
    #expect(!world.text(next).contains("/dev/ttyACM0"))
  }

  @Test func `NMEA clients get synthesised sentences with full accuracy, and an empty RMC without`() {
    for isAllowed in [false, true] {
      var world = ServerWorld(initial: isAllowed ? Self.full : Authorization(.denied))
      let ids = [world.feed(.nmea), world.feed()]
      world.receive(ids[1], Self.watchNMEA)
      world.publishFix()
      world.advance(seconds: 1)
      for id in ids {
        #expect(world.text(id).contains("5405.60810,N") == isAllowed, "\(world.text(id))")
        #expect(world.text(id).contains("GGA,") && world.text(id).contains("RMC,"))
      }
    }
  }

  @Test func `a receiver's sentences replace the sentences made from its fix`() {
    var world = ServerWorld(initial: Self.full)
    let ids = [world.feed(.nmea), world.feed()]
    world.receive(ids[1], Self.watchNMEA)
    #expect(world.core.wantsSentences)
    let sentence = "$GNRMC,as,received*00\r\n"
    world.handle(.published(.sentences(Array(sentence.utf8), source: "/dev/ttyACM0")))
    world.publishFix()
    #expect(world.text(ids[0]) == sentence)
    #expect(world.text(ids[1]).hasSuffix(sentence))
    // Without sentences, such as from another source, each fix gives sentences.
    world.publishFix()
    #expect(world.text(ids[0]).contains("GGA,"))
    let count = world.text(ids[0]).count
    world.decide(Self.reduced)
    world.handle(.published(.sentences(Array(sentence.utf8), source: "/dev/ttyACM0")))
    #expect(world.text(ids[0]).count == count && !world.core.wantsSentences)
  }

  @Test func `a protocol has 32 clients, and clients without access make room for others`() {
    var world = ServerWorld()
    let idle = (0..<32).map { world.feed(user: UInt32(60_000 + $0 / 8)) }
    #expect(world.ended.isEmpty)
    let other = world.feed(user: 1000)
    #expect(world.ended.count == 1 && world.ended.isSubset(of: idle))
    world.decide(Self.full, at: 4)
    world.receive(other, Self.watchJSON)
    world.publishFix()
    #expect(world.text(other).contains(ServerWorld.latitude))
    #expect(world.core.feedCounts(.gpsd).clients == 32)
  }

  @Test func `a client with a rule gets a place despite a client without access for each of 32 users`() {
    var world = ServerWorld()
    let idle = (0..<32).map { world.feed(user: UInt32(100_000 + $0)) }
    world.operatorRequests = []
    world.opensPolicies = false
    let ruled = world.feed(user: 1000)
    #expect(world.ended == [idle[0]])
    world.opensPolicies = true
    for key in world.opened.suffix(1) {
      world.handle(
        .policyOpened(
          key, Authorization(.notDetermined), isDeniedGlobally: false, operatorRequests: []))
    }
    guard let asked = world.asked.last else { return #expect(Bool(false), "no request") }
    world.handle(.answered(asked.key, asked.number, .decided(Self.full)))
    world.receive(ruled, Self.watchJSON)
    for user in 0..<32 { world.feed(user: UInt32(200_000 + user)) }
    world.publishFix()
    #expect(world.text(ruled).contains(ServerWorld.latitude) && !world.ended.contains(ruled))
  }

  @Test func `a protocol has 8 clients of an owner, and the daemon's own user has no such limit`() {
    for feed in FeedProtocol.allCases {
      for initial in [Self.full, Self.reduced, Authorization(.notDetermined)] {
        var world = ServerWorld(initial: initial)
        for _ in 0..<32 { world.feed(feed, user: 1000) }
        #expect(world.core.feedCounts(feed).clients == 8)
        #expect(world.core.refusedCount == 24)
        // Another unit of the user is another owner.
        world.feed(feed, user: 1000, unit: "a.service")
        for _ in 0..<15 { world.feed(feed, user: 990) }
        #expect(world.core.feedCounts(feed).clients == 24)
      }
    }
  }

  @Test func `a protocol has 24 clients with access, and 8 more of root`() {
    var world = ServerWorld(initial: Self.full)
    let feeds = (0..<24).map { world.feed(user: UInt32(2000 + $0)) }
    // Whether the client has a rule is known only after its policy was read.
    let late = world.feed(user: 3000)
    #expect(world.ended == [late] && world.core.refusedCount == 1)
    let root = (0..<8).map { _ in world.feed(user: 0) }
    #expect(world.core.feedCounts(.gpsd).clients == 32)
    let count = world.core.connections.count
    world.feed(user: 0)
    #expect(world.core.connections.count == count)
    // The limit of one protocol does not affect the other one.
    world.feed(.nmea, user: 3000)
    #expect(world.core.connections.count == count + 1)
    #expect(world.ended.isDisjoint(with: feeds + root))
  }

  @Test func `a client to which a rule gives access gets one of the reserved places`() {
    var world = ServerWorld(initial: Self.full)
    for user in 0..<24 { world.feed(user: UInt32(2000 + user)) }
    world.initial = Authorization(.notDetermined)
    world.operatorRequests = []
    let ruled = world.feed(user: 3000)
    guard let asked = world.asked.last else { return #expect(Bool(false), "no request") }
    world.handle(.answered(asked.key, asked.number, .decided(Self.full)))
    world.receive(ruled, Self.watchJSON)
    world.publishFix()
    #expect(world.ended.isEmpty && world.text(ruled).contains(ServerWorld.latitude))
  }

  @Test func `root gets a place although a rule gives access to more clients than there are places`() {
    var world = ServerWorld()
    world.operatorRequests = []
    for number in 0..<40 {
      world.feed(user: UInt32(2000 + number / 8))
      if let asked = world.asked.last {
        world.handle(.answered(asked.key, asked.number, .decided(Self.full)))
      }
    }
    #expect(world.core.feedCounts(.gpsd).clients == 28)
    let root = (0..<4).map { _ in world.feed(user: 0) }
    #expect(world.core.feedCounts(.gpsd).clients == 32 && world.ended.isDisjoint(with: root))
  }

  @Test func `an HTTP request ends the connection of a gpsd client before it is answered`() {
    let query = #"/?WATCH={"enable":true,"json":true};"#
    for method in ["GET", "POST", "HEAD", "PUT", "OPTIONS", "CONNECT", "DELETE", "PRI", "get"] {
      for pieces in [["\(method) \(query) HTTP/1.1\r\n"], [method, " ", query]] {
        var world = ServerWorld(initial: Self.full)
        let id = world.feed()
        for piece in pieces { world.receive(id, piece) }
        world.publishFix()
        #expect(world.ended == [id] && world.gpsdClasses(id) == ["VERSION"], "\(pieces)")
        #expect(world.core.refusedCount == 1)
      }
    }
  }
}

extension [String] {
  fileprivate func count(of element: String) -> Int { count { $0 == element } }
}

extension ServerWorld {
  /// Connects a client of gpsd or NMEA 0183, and returns the connection.
  @discardableResult
  mutating func feed(
    _ feed: FeedProtocol = .gpsd, user: UInt32 = 1000, unit: String? = nil
  ) -> UInt64 {
    let id = nextID()
    let format: StreamFormat = feed == .gpsd ? .gpsd(GPSDSession(version: .unknown)) : .nmea
    let owner = ConnectionOwner(userID: user, systemUnit: unit)
    guard core.connect(id, owner: owner, format: format, at: now) == nil else { return id }
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
