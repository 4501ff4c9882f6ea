// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import LocationServices
import Positioning
import Testing

@testable import DaemonServer

@Suite("Latest values sent to new streams") struct ServerLatestTests {
  private static let full = Authorization(.authorizedAlways)
  private static let reduced = Authorization(.authorizedAlways, accuracy: .reducedAccuracy)
  private static let events = DaemonRequest(.events)

  /// An object that contains its age, and expires after a minute.
  private static func aging(
    _ name: String, subject: String? = nil, madeAt made: MonotonicTime, isBroadcast: Bool = true
  ) -> ServerObject {
    ServerObject(
      name: name, for: .fullAccuracy, keeping: .newest(subject: subject), isBroadcast: isBroadcast
    ) { now in
      let age = now.seconds(since: made)
      return age > 60 ? nil : Array(#"{"of":"\#(subject ?? "-")","age":\#(Int(age))}"#.utf8)
    }
  }

  @Test func `a new stream gets stored objects with their current age, but no expired objects`() {
    var world = ServerWorld()
    world.initial = Self.full
    let first = world.request(Self.events)
    world.handle(.published(.object(Self.aging("WEATHER", madeAt: world.now))))
    #expect(world.text(first).contains(#""age":0"#))
    world.advance(seconds: 40)
    let second = world.request(Self.events)
    #expect(world.text(second).contains(#""age":40"#), "\(world.text(second))")
    // This object replaces the stored object, and is not sent to current streams.
    world.handle(.published(.object(Self.aging("WEATHER", madeAt: world.now, isBroadcast: false))))
    #expect(world.classes(second) == ["AUTH", "WEATHER"])
    world.advance(seconds: 40)
    let third = world.request(Self.events)
    #expect(world.text(third).contains(#""age":40"#))
    world.advance(seconds: 40)
    let last = world.request(Self.events)
    #expect(world.classes(last) == ["AUTH"])
  }

  @Test func `the server stores an object for each receiver until the receiver is lost`() {
    var world = ServerWorld()
    world.initial = Self.full
    for name in ["a", "b", "a"] {
      world.handle(.published(.object(Self.aging("DEVICE", subject: name, madeAt: world.now))))
    }
    world.handle(.published(.object(Self.aging("WEATHER", madeAt: world.now))))
    let first = world.request(Self.events)
    for name in ["a", "b"] {
      #expect(world.text(first).split(separator: #""of":"\#(name)""#).count == 2)
    }
    world.handle(.published(.expired(name: "DEVICE", subject: "a")))
    let second = world.request(Self.events)
    #expect(world.classes(second) == ["AUTH", "DEVICE", "WEATHER"])
    #expect(world.text(second).contains(#""of":"b""#))
    world.handle(.published(.expired(name: "DEVICE", subject: nil)))
    let third = world.request(Self.events)
    #expect(world.classes(third) == ["AUTH", "WEATHER"])
  }

  @Test func `an old fix is not sent as a reduced location, because a reduced location has no age`() {
    var world = ServerWorld()
    world.initial = Self.reduced
    world.publishFix()
    world.publishSky()
    world.advance(seconds: 901)
    let stream = world.request(Self.events)
    #expect(world.classes(stream) == ["AUTH"])
    let once = world.request(DaemonRequest(.location(timeoutSeconds: 5)))
    #expect(world.text(once).isEmpty)
    world.publishFix()
    #expect(world.text(once).contains(#""lat":54.075000000"#))
  }

  private static func last(within seconds: Int) -> DaemonRequest {
    DaemonRequest(.location(timeoutSeconds: 5, maxAgeSeconds: seconds))
  }

  private static func loseReceiver(_ world: inout ServerWorld) {
    world.handle(
      .published(.lost(SourceLoss(.deactivated, receiver: "/dev/ttyACM0"), source: "auto")))
  }

  @Test func `a request with maxAge gets the last position of a lost receiver, marked and with its age`() {
    var world = ServerWorld(initial: Self.full)
    world.publishFix()
    let current = world.request(Self.last(within: 3600))
    #expect(world.text(current).contains(#""age":0.0}"#), "\(world.text(current))")
    Self.loseReceiver(&world)
    world.advance(seconds: 60)
    let last = world.request(Self.last(within: 3600))
    #expect(world.text(last).contains(ServerWorld.latitude))
    #expect(world.text(last).contains(#""age":60.0,"last":true}"#), "\(world.text(last))")
    // Without maxAge, the request waits as before.
    let once = world.request(DaemonRequest(.location(timeoutSeconds: 5)))
    let tooOld = world.request(Self.last(within: 59))
    #expect(world.text(once).isEmpty && world.text(tooOld).isEmpty)
    world.publishFix(mode: .none)
    #expect(world.text(tooOld).isEmpty)
    world.publishFix()
    for id in [once, tooOld] {
      #expect(world.text(id).contains(#""age":0.0}"#), "\(world.text(id))")
    }
    world.publishFix(mode: .none)
    let noFix = world.request(Self.last(within: 5))
    #expect(world.text(noFix).contains(#""last":true"#), "\(world.text(noFix))")
  }

  @Test func `a request with maxAge times out if no position is known, as after a restart`() {
    var world = ServerWorld(initial: Self.full)
    world.publishFix(mode: .none)
    let id = world.request(Self.last(within: 3600))
    #expect(world.text(id).isEmpty)
    world.advance(seconds: 5)
    #expect(world.text(id).hasPrefix("HTTP/1.1 504 "))
  }

  @Test func `with reduced accuracy, the last position is the last reduced location, without its age`() {
    var world = ServerWorld(initial: Self.reduced)
    world.publishFix()
    // No reduced location has been sent yet.
    world.advance(seconds: 901)
    let early = world.request(Self.last(within: 3600))
    #expect(world.text(early).isEmpty)
    world.publishFix()
    #expect(world.text(early).contains(#""lat":54.075000000"#))
    #expect(!world.text(early).contains(#""last""#))
    Self.loseReceiver(&world)
    world.advance(seconds: 1800)
    let last = world.request(Self.last(within: 3600))
    #expect(world.text(last).contains(#""lat":54.075000000"#), "\(world.text(last))")
    #expect(world.text(last).contains(#""last":true}"#))
    #expect(!world.text(last).contains(#""age""#))
    #expect(!world.text(last).contains(ServerWorld.latitude))
    let tooOld = world.request(Self.last(within: 1799))
    #expect(world.text(tooOld).isEmpty)
  }

  @Test(arguments: [AuthorizationStatus.denied, .restricted, .notDetermined])
  func `the last position is refused without authorization, and withheld until a decision`(status: AuthorizationStatus)
  {
    var world = ServerWorld(initial: Authorization(status))
    world.publishFix()
    Self.loseReceiver(&world)
    let id = world.request(Self.last(within: 3600))
    world.advance(seconds: 5)
    #expect(world.text(id).hasPrefix("HTTP/1.1 403 "), "\(world.text(id))")
    #expect(!world.text(id).contains(ServerWorld.latitude))
  }

  @Test func `a client whose authorization is revoked no longer gets the last position`() {
    var world = ServerWorld(initial: Self.full)
    let stream = world.request(Self.events)
    world.publishFix()
    Self.loseReceiver(&world)
    world.decide(Authorization(.denied))
    let id = world.request(Self.last(within: 3600))
    #expect(world.text(id).hasPrefix("HTTP/1.1 403 "), "\(world.text(id))")
    #expect(!world.text(id).contains(ServerWorld.latitude))
    world.close(stream)
  }

  @Test func `a new stream with full accuracy gets an old fix with its age, but no old satellites`() {
    var world = ServerWorld()
    world.initial = Self.full
    world.publishFix()
    world.publishSky()
    world.advance(seconds: 7200)
    let id = world.request(Self.events)
    #expect(world.classes(id) == ["AUTH", "TPV"])
    #expect(world.text(id).contains(#""age":7200.0"#), "\(world.text(id))")
  }
}
