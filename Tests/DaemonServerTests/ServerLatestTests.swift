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
    ServerObject(name: name, for: .fullAccuracy, keeping: .newest(subject: subject), isBroadcast: isBroadcast) { now in
      let age = now.seconds(since: made)
      return age > 60 ? nil : Array(#"{"of":"\#(subject ?? "-")","age":\#(Int(age))}"#.utf8)
    }
  }

  @Test func `a new stream gets stored objects with their current age, but no expired objects`() {
    var fixture = ServerCoreFixture()
    fixture.initial = Self.full
    let first = fixture.request(Self.events)
    fixture.handle(.published(.object(Self.aging("WEATHER", madeAt: fixture.now))))
    #expect(fixture.text(first).contains(#""age":0"#))
    fixture.advance(seconds: 40)
    let second = fixture.request(Self.events)
    #expect(fixture.text(second).contains(#""age":40"#), "\(fixture.text(second))")
    // This object replaces the stored object, and is not sent to current streams.
    fixture.handle(.published(.object(Self.aging("WEATHER", madeAt: fixture.now, isBroadcast: false))))
    #expect(fixture.classes(second) == ["AUTH", "WEATHER"])
    fixture.advance(seconds: 40)
    let third = fixture.request(Self.events)
    #expect(fixture.text(third).contains(#""age":40"#))
    fixture.advance(seconds: 40)
    let last = fixture.request(Self.events)
    #expect(fixture.classes(last) == ["AUTH"])
  }

  @Test func `the server stores an object for each receiver until the receiver is lost`() {
    var fixture = ServerCoreFixture()
    fixture.initial = Self.full
    for name in ["a", "b", "a"] {
      fixture.handle(.published(.object(Self.aging("DEVICE", subject: name, madeAt: fixture.now))))
    }
    fixture.handle(.published(.object(Self.aging("WEATHER", madeAt: fixture.now))))
    let first = fixture.request(Self.events)
    for name in ["a", "b"] {
      #expect(fixture.text(first).split(separator: #""of":"\#(name)""#).count == 2)
    }
    fixture.handle(.published(.expired(name: "DEVICE", subject: "a")))
    let second = fixture.request(Self.events)
    #expect(fixture.classes(second) == ["AUTH", "DEVICE", "WEATHER"])
    #expect(fixture.text(second).contains(#""of":"b""#))
    fixture.handle(.published(.expired(name: "DEVICE", subject: nil)))
    let third = fixture.request(Self.events)
    #expect(fixture.classes(third) == ["AUTH", "WEATHER"])
  }

  @Test func `an old fix is not sent as a reduced location, because a reduced location has no age`() {
    var fixture = ServerCoreFixture()
    fixture.initial = Self.reduced
    fixture.publishFix()
    fixture.publishSky()
    fixture.advance(seconds: 901)
    let stream = fixture.request(Self.events)
    #expect(fixture.classes(stream) == ["AUTH"])
    let once = fixture.request(DaemonRequest(.location(timeoutSeconds: 5)))
    #expect(fixture.text(once).isEmpty)
    fixture.publishFix()
    #expect(fixture.text(once).contains(#""lat":54.075000000"#))
  }

  private static func last(within seconds: Int) -> DaemonRequest {
    DaemonRequest(.location(timeoutSeconds: 5, maxAgeSeconds: seconds))
  }

  private static func loseReceiver(_ fixture: inout ServerCoreFixture) {
    fixture.handle(.published(.lost(SourceLoss(.deactivated, receiver: "/dev/ttyACM0"), source: "auto")))
  }

  @Test func `a request with maxAge gets the last position of a lost receiver, marked and with its age`() {
    var fixture = ServerCoreFixture(initial: Self.full)
    fixture.publishFix()
    let current = fixture.request(Self.last(within: 3600))
    #expect(fixture.text(current).contains(#""age":0.0}"#), "\(fixture.text(current))")
    Self.loseReceiver(&fixture)
    fixture.advance(seconds: 60)
    let last = fixture.request(Self.last(within: 3600))
    #expect(fixture.text(last).contains(ServerCoreFixture.latitude))
    #expect(fixture.text(last).contains(#""age":60.0,"last":true}"#), "\(fixture.text(last))")
    // Without maxAge, the request waits as before.
    let once = fixture.request(DaemonRequest(.location(timeoutSeconds: 5)))
    let tooOld = fixture.request(Self.last(within: 59))
    #expect(fixture.text(once).isEmpty && fixture.text(tooOld).isEmpty)
    fixture.publishFix(mode: .none)
    #expect(fixture.text(tooOld).isEmpty)
    fixture.publishFix()
    for id in [once, tooOld] {
      #expect(fixture.text(id).contains(#""age":0.0}"#), "\(fixture.text(id))")
    }
    fixture.publishFix(mode: .none)
    let noFix = fixture.request(Self.last(within: 5))
    #expect(fixture.text(noFix).contains(#""last":true"#), "\(fixture.text(noFix))")
  }

  @Test func `a request with maxAge times out if no position is known, as after a restart`() {
    var fixture = ServerCoreFixture(initial: Self.full)
    fixture.publishFix(mode: .none)
    let id = fixture.request(Self.last(within: 3600))
    #expect(fixture.text(id).isEmpty)
    fixture.advance(seconds: 5)
    #expect(fixture.text(id).hasPrefix("HTTP/1.1 504 "))
  }

  @Test func `with reduced accuracy, the last position is the last reduced location, without its age`() {
    var fixture = ServerCoreFixture(initial: Self.reduced)
    fixture.publishFix()
    // No reduced location has been sent yet.
    fixture.advance(seconds: 901)
    let early = fixture.request(Self.last(within: 3600))
    #expect(fixture.text(early).isEmpty)
    fixture.publishFix()
    #expect(fixture.text(early).contains(#""lat":54.075000000"#))
    #expect(!fixture.text(early).contains(#""last""#))
    Self.loseReceiver(&fixture)
    fixture.advance(seconds: 1800)
    let last = fixture.request(Self.last(within: 3600))
    #expect(fixture.text(last).contains(#""lat":54.075000000"#), "\(fixture.text(last))")
    #expect(fixture.text(last).contains(#""last":true}"#))
    #expect(!fixture.text(last).contains(#""age""#))
    #expect(!fixture.text(last).contains(ServerCoreFixture.latitude))
    let tooOld = fixture.request(Self.last(within: 1799))
    #expect(fixture.text(tooOld).isEmpty)
  }

  @Test(arguments: [AuthorizationStatus.denied, .restricted, .notDetermined])
  func `the last position is refused without authorization, and withheld until a decision`(status: AuthorizationStatus)
  {
    var fixture = ServerCoreFixture(initial: Authorization(status))
    fixture.publishFix()
    Self.loseReceiver(&fixture)
    let id = fixture.request(Self.last(within: 3600))
    fixture.advance(seconds: 5)
    #expect(fixture.text(id).hasPrefix("HTTP/1.1 403 "), "\(fixture.text(id))")
    #expect(!fixture.text(id).contains(ServerCoreFixture.latitude))
  }

  @Test func `a client whose authorization is revoked no longer gets the last position`() {
    var fixture = ServerCoreFixture(initial: Self.full)
    let stream = fixture.request(Self.events)
    fixture.publishFix()
    Self.loseReceiver(&fixture)
    fixture.decide(Authorization(.denied))
    let id = fixture.request(Self.last(within: 3600))
    #expect(fixture.text(id).hasPrefix("HTTP/1.1 403 "), "\(fixture.text(id))")
    #expect(!fixture.text(id).contains(ServerCoreFixture.latitude))
    fixture.close(stream)
  }

  @Test func `a new stream with full accuracy gets an old fix with its age, but no old satellites`() {
    var fixture = ServerCoreFixture()
    fixture.initial = Self.full
    fixture.publishFix()
    fixture.publishSky()
    fixture.advance(seconds: 7200)
    let id = fixture.request(Self.events)
    #expect(fixture.classes(id) == ["AUTH", "TPV"])
    #expect(fixture.text(id).contains(#""age":7200.0"#), "\(fixture.text(id))")
  }
}
