// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import LocationServices
import Pipeline
import Positioning
import Synchronization
import Testing
import WeatherClient
import WeatherFeature

@testable import Plugins

@Suite("MQTT messages of a board")
struct MQTTBoardStateTests {
  private static func settings(_ change: (inout MQTTBoardSettings) -> Void = { _ in }) -> MQTTBoardSettings {
    var settings = MQTTBoardSettings(topics: MQTTTopics(prefix: "fixcast", board: "van"))
    change(&settings)
    return settings
  }

  private static func location(_ longitude: Double) -> LocationEvent {
    LocationEvent(.at(0, longitude, time: .noon) { $0.source = "/dev/ttyACM0" })
  }

  private static func texts(_ messages: [MQTTMessage]) -> [String] {
    messages.map { "\($0.topic) \(String(decoding: $0.payload, as: UTF8.self))" }
  }

  @Test func `one position every 10 seconds on the move, every 30 seconds at rest`() {
    var state = MQTTBoardState(Self.settings())
    // 1 Hz; 20 m/s for 60 seconds, then at rest for 120 seconds.
    var published: [Int] = []
    for second in 0..<180 {
      let longitude = Double(min(second, 60)) * 20 / 111_320
      let (_, kept) = state.receive(Self.location(longitude), now: .at(second), utcNow: nil)
      if kept != nil { published.append(second) }
    }
    #expect(published == [0, 10, 20, 30, 40, 50, 60, 90, 120, 150])
  }

  @Test func `the loss of the position is published at once, without coordinates, and every 30 seconds`() {
    var state = MQTTBoardState(Self.settings())
    _ = state.receive(Self.location(1), now: .at(0), utcNow: nil)
    var published: [Int] = []
    for second in 1...70 {
      let (messages, kept) = state.receive(NoFixEvent(Fix(mode: .none)), now: .at(second), utcNow: nil)
      #expect(kept == nil)
      guard !messages.isEmpty else { continue }
      #expect(Self.texts(messages) == [#"fixcast/van/position {"fix":"none"}"#])
      published.append(second)
    }
    #expect(published == [1, 31, 61])
    // The next position is published at once.
    let (messages, _) = state.receive(Self.location(1), now: .at(71), utcNow: nil)
    #expect(messages.map(\.topic) == ["fixcast/van/position"])
  }

  @Test func `a position that comes and goes ten times per second is published every 10 seconds`() {
    var state = MQTTBoardState(Self.settings())
    var count = 0
    for tenth in 0..<1000 {
      let now = MonotonicTime.at(Double(tenth) / 10)
      let event: any PipelineEvent =
        tenth % 2 == 0 ? Self.location(1) : NoFixEvent(Fix(mode: .none))
      count += state.receive(event, now: now, utcNow: nil).messages
        .count { $0.topic == "fixcast/van/position" }
    }
    #expect((18...22).contains(count), "\(count)")
  }

  @Test func `an unplugged receiver is published at once, even soon after a loss of the position`() {
    var state = MQTTBoardState(Self.settings())
    _ = state.receive(Self.location(1), now: .at(0), utcNow: nil)
    _ = state.receive(NoFixEvent(Fix(mode: .none)), now: .at(5), utcNow: nil)
    let (found, _) = state.receive(Self.location(1), now: .at(10), utcNow: nil)
    #expect(found.map(\.topic) == ["fixcast/van/position"])
    let loss = SourceEvent.lost(SourceLoss(.deactivated, receiver: "/dev/ttyACM0"), source: "serial")
    let (messages, _) = state.receive(loss, now: .at(12), utcNow: nil)
    #expect(Self.texts(messages).contains(#"fixcast/van/position {"fix":"none"}"#))
    // Without a position, there is nothing to withdraw.
    let (again, _) = state.receive(loss, now: .at(13), utcNow: nil)
    #expect(again.map(\.topic) == ["fixcast/van/status"])
  }

  @Test func `the position of an unplugged receiver is withdrawn while a silent receiver is connected`() {
    var state = MQTTBoardState(Self.settings())
    _ = state.receive(Self.location(1), now: .at(0), utcNow: nil)
    let silent = ReceiverInfo(name: "/dev/ttyACM1", isActive: true)
    _ = state.receive(SourceEvent.receiver(silent), now: .at(0), utcNow: nil)
    let loss = SourceLoss(.deactivated, receiver: "/dev/ttyACM0")
    let (messages, _) = state.receive(SourceEvent.lost(loss, source: "serial"), now: .at(1), utcNow: nil)
    #expect(
      Self.texts(messages) == [
        #"fixcast/van/status {"receiver":"connected","device":"/dev/ttyACM1"}"#,
        #"fixcast/van/position {"fix":"none"}"#,
      ])
  }

  @Test func `a receiver without a fix is connected`() {
    var state = MQTTBoardState(Self.settings())
    var fix = Fix(mode: .none)
    fix.source = "/dev/ttyACM0"
    let (messages, _) = state.receive(NoFixEvent(fix), now: .at(0), utcNow: nil)
    #expect(
      Self.texts(messages) == [
        #"fixcast/van/status {"receiver":"connected","device":"/dev/ttyACM0"}"#,
        #"fixcast/van/position {"fix":"none"}"#,
      ])
    let (again, _) = state.receive(NoFixEvent(fix), now: .at(1), utcNow: nil)
    #expect(again.isEmpty)
  }

  @Test(arguments: [
    Authorization(.denied), Authorization(.notDetermined),
    Authorization(.authorizedAlways, accuracy: .reducedAccuracy),
  ])
  func `without authorization or full accuracy, position, satellites and weather are withdrawn`(
    authorization: Authorization
  ) {
    var state = MQTTBoardState(Self.settings())
    _ = state.receive(Self.location(1), now: .at(0), utcNow: nil)
    _ = state.receive(SkyEvent(SkyView(), device: "a"), now: .at(0), utcNow: nil)
    let weather = OutlookEvent(OutlookTests.outlook(agedSeconds: 60))
    _ = state.receive(weather, now: .at(0), utcNow: nil)
    let allowed = AuthorizationEvent(Authorization(.authorizedAlways))
    #expect(state.receive(allowed, now: .at(1), utcNow: nil).messages.isEmpty)
    let (messages, kept) = state.receive(AuthorizationEvent(authorization), now: .at(1), utcNow: nil)
    #expect(
      Self.texts(messages) == [
        #"fixcast/van/position {"fix":"none"}"#, "fixcast/van/sky ",
        #"fixcast/van/weather {"class":"WEATHER"}"#,
      ])
    #expect(kept == nil && messages.allSatisfy(\.isRetained))
    // After a new permission, the same weather is published again.
    #expect(!state.receive(weather, now: .at(2), utcNow: nil).messages.isEmpty)
  }

  @Test func `a second receiver does not replace the receiver of the positions`() {
    var state = MQTTBoardState(Self.settings())
    _ = state.receive(Self.location(1), now: .at(0), utcNow: nil)
    var second = ReceiverInfo(name: "/dev/ttyACM1", isActive: false)
    second.model = "other"
    for event in [
      SourceEvent.receiver(second),
      SourceEvent.lost(SourceLoss(.deactivated, receiver: "/dev/ttyACM1"), source: "serial"),
    ] {
      let (messages, _) = state.receive(event, now: .at(1), utcNow: nil)
      #expect(Self.texts(messages) == [#"fixcast/van/status {"receiver":"connected","device":"/dev/ttyACM0"}"#])
    }
  }

  @Test func `a lost receiver is published as disconnected, and the position as unknown`() {
    var state = MQTTBoardState(Self.settings())
    #expect(
      Self.texts(state.initialMessages) == [
        #"fixcast/van/position {"fix":"none"}"#, "fixcast/van/sky ",
        #"fixcast/van/weather {"class":"WEATHER"}"#,
        #"fixcast/van/status {"receiver":"disconnected"}"#,
      ])
    var receiver = ReceiverInfo(name: "/dev/ttyACM0", isActive: true)
    receiver.driver = "NMEA0183"
    let (found, _) = state.receive(SourceEvent.receiver(receiver), now: .at(0), utcNow: nil)
    #expect(
      Self.texts(found) == [
        #"fixcast/van/status {"receiver":"connected","device":"/dev/ttyACM0","driver":"NMEA0183"}"#
      ])
    _ = state.receive(Self.location(1), now: .at(0), utcNow: nil)
    let loss = SourceLoss(.deactivated, receiver: "/dev/ttyACM0")
    let (lost, _) = state.receive(SourceEvent.lost(loss, source: "serial"), now: .at(1), utcNow: nil)
    #expect(lost.map(\.topic) == ["fixcast/van/status", "fixcast/van/position"])
    #expect(Self.texts(lost)[0].contains(#""receiver":"disconnected""#))
    let (again, _) = state.receive(Self.location(1), now: .at(2), utcNow: nil)
    #expect(Self.texts(again)[0].contains(#""receiver":"connected""#))
  }

  @Test func `weather has provider and age; a new report is published at once, an old one at intervals`() throws {
    var state = MQTTBoardState(Self.settings())
    func publish(agedSeconds: Int64, at second: Double) -> [String] {
      let event = OutlookEvent(OutlookTests.outlook(agedSeconds: agedSeconds))
      return Self.texts(state.receive(event, now: .at(second), utcNow: nil).messages)
    }
    let first = publish(agedSeconds: 60, at: 0)
    #expect(first.count == 1 && first[0].hasPrefix(#"fixcast/van/weather {"class":"WEATHER","#))
    #expect(first[0].contains(#""provider":"openmeteo","age":60,"#), "\(first)")
    #expect(first[0].contains(#""stale":false"#))
    for minute in 1..<10 { #expect(publish(agedSeconds: 60, at: Double(minute * 60)) == []) }
    #expect(publish(agedSeconds: 60, at: 600).count == 1)
    #expect(publish(agedSeconds: 60, at: 660) == [])
    // A report of another time, and one that is no longer fresh.
    #expect(publish(agedSeconds: 30, at: 661).count == 1)
    let stored = publish(agedSeconds: 9000, at: 720)
    #expect(stored.count == 1 && stored[0].contains(#""stale":true"#), "\(stored)")
    #expect(publish(agedSeconds: 9000, at: 780) == [])
    #expect(publish(agedSeconds: 9000, at: 1320).count == 1)
  }

  @Test func `a report that was published with a location is not repeated before the interval`() throws {
    var state = MQTTBoardState(Self.settings())
    let outlook = OutlookTests.outlook(agedSeconds: 60)
    let enriched = Samples.enriched(try #require(outlook.report))
    for (event, second, count) in [
      (enriched, 0, 1), (enriched, 1, 0), (OutlookEvent(outlook), 2, 0), (OutlookEvent(outlook), 600, 1),
    ] as [(any PipelineEvent, Double, Int)] {
      let (messages, _) = state.receive(event, now: .at(second), utcNow: OutlookTests.noon)
      #expect(messages.count == count, "\(second)")
    }
    // A location with a place only has no weather.
    let place = EnrichedEvent(EnrichedLocation(.at(51.5)))
    #expect(state.receive(place, now: .at(5000), utcNow: nil).messages.isEmpty)
  }

  @Test func `classes that are not chosen are not published`() {
    let settings = Self.settings { $0.classes = [.weather] }
    var state = MQTTBoardState(settings)
    #expect(state.initialMessages.map(\.topic) == ["fixcast/van/weather"])
    let events: [any PipelineEvent] = [
      Self.location(1), NoFixEvent(Fix(mode: .none)), SkyEvent(SkyView(), device: nil),
      SourceEvent.receiver(ReceiverInfo(name: "a", isActive: true)),
    ]
    for event in events {
      let (messages, kept) = state.receive(event, now: .at(0), utcNow: nil)
      #expect(messages.isEmpty && kept == nil)
    }
  }

  @Test func `satellites are published every 30 seconds`() {
    var state = MQTTBoardState(Self.settings())
    let published = (0..<65).filter { second in
      !state.receive(SkyEvent(SkyView(), device: "a"), now: .at(second), utcNow: nil).messages.isEmpty
    }
    #expect(published == [0, 30, 60])
  }

  @Test func `the position is the first message of a board, and the one for Home Assistant the last`() {
    let state = MQTTBoardState(Self.settings { $0.homeAssistantPrefix = "homeassistant" })
    let topics = state.initialMessages.map(\.topic)
    #expect(topics.first == "fixcast/van/position")
    #expect(topics.last == "homeassistant/device/fixcast_van/config")
  }

  @Test func `a location without an accuracy has an assumed one for OwnTracks, and never 0`() throws {
    func accuracy(_ meters: Double?) throws -> String {
      var location = Self.location(1).location
      location.horizontalAccuracy = meters.flatMap {
        Accuracy(meters: $0, confidencePercent: 68, basis: .receiver)
      }
      let payload = try #require(PositionPayload.ownTracks(location, name: "pi/van"))
      let text = String(decoding: payload, as: UTF8.self)
      return String(text.split(separator: "\"acc\":").last?.prefix { $0.isNumber } ?? "")
    }
    #expect(try accuracy(nil) == "31")
    #expect(try accuracy(0.2) == "1" && accuracy(12.4) == "12")
    var location = Self.location(1).location
    location.status = .deadReckoning
    let payload = try #require(PositionPayload.ownTracks(location, name: "pi/van"))
    // Home Assistant drops a location without it.
    #expect(String(decoding: payload, as: UTF8.self).contains("\"acc\":1000,"))
  }

  @Test func `10 seconds of positions without a date are one warning, which names RMC and ZDA`() {
    func warnings(_ settings: MQTTBoardSettings, dated: Set<Int> = []) -> [Int: String] {
      var state = MQTTBoardState(settings)
      var warnings: [Int: String] = [:]
      for second in 0..<60 {
        var location = Self.location(1).location
        if !dated.contains(second) { location.time = nil }
        warnings[second] = state.dateWarning(of: location, now: .at(second))
      }
      return warnings
    }
    let ownTracks = Self.settings { $0.ownTracks = "pi/van" }
    #expect(
      warnings(ownTracks) == [
        10: "OwnTracks gets no positions, since they have no date; enable the receiver's sentence "
          + "RMC or ZDA"
      ])
    #expect(warnings(ownTracks, dated: Set(stride(from: 5, to: 60, by: 9))).isEmpty)
    #expect(warnings(Self.settings()).isEmpty)
  }

  @Test func `the sink logs the warning about positions without a date`() async throws {
    let seconds = Mutex(0)
    let test = try MQTTTestSink(
      port: 1, [SettingEntry("owntracks", .string("pi/van"))],
      now: { seconds.withLock { MonotonicTime.at(Double($0)) } })
    for second in 0..<20 {
      seconds.withLock { $0 = second }
      var location = Self.location(1).location
      location.time = nil
      try await test.sink.receive(LocationEvent(location))
    }
    #expect(
      test.log.events == [
        "warning: mqtt: OwnTracks gets no positions, since they have no date; enable the "
          + "receiver's sentence RMC or ZDA"
      ])
  }
}
