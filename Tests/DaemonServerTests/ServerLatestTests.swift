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

  @Test("a new stream gets stored objects with their current age, but no expired objects")
  func storedObjectAge() {
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

  @Test("the server stores an object for each receiver until the receiver is lost")
  func storedBySubject() {
    var world = ServerWorld()
    world.initial = Self.full
    for name in ["a", "b", "a"] {
      world.handle(.published(.object(Self.aging("DEVICE", subject: name, madeAt: world.now))))
    }
    world.handle(.published(.object(Self.aging("WEATHER", madeAt: world.now))))
    let all = world.request(Self.events)
    for name in ["a", "b"] {
      #expect(world.text(all).split(separator: #""of":"\#(name)""#).count == 2)
    }
    world.handle(.published(.expired(name: "DEVICE", subject: "a")))
    let one = world.request(Self.events)
    #expect(world.classes(one) == ["AUTH", "DEVICE", "WEATHER"])
    #expect(world.text(one).contains(#""of":"b""#))
    world.handle(.published(.expired(name: "DEVICE", subject: nil)))
    let none = world.request(Self.events)
    #expect(world.classes(none) == ["AUTH", "WEATHER"])
  }

  @Test("an old fix is not sent as a reduced location, because that has no age")
  func oldFixIsNotReduced() {
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

  @Test("a new stream with full accuracy gets an old fix with its age, but no old satellites")
  func oldFixWithFullAccuracy() {
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
