// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import PathMonitorClient
import Pipeline
import Positioning
import Testing
import WeatherFeature

@testable import fixcast

@Suite("The live view")
struct WatchViewTests {
  @Test func `the live view shows all sections, each with its age`() {
    var scene = WatchScene()
    var receiver = ReceiverInfo(name: "/dev/ttyACM0", isActive: true)
    receiver.model = "u-blox 7"
    receiver.baud = 9600
    scene.at(1, SourceEvent.connected(SourceServer(address: "localhost:2947", release: "3.22")))
    scene.at(2, SourceEvent.receiver(receiver), SceneEvents.path())
    scene.at(4, SceneEvents.weather(at: 4))
    scene.at(130, SceneEvents.location(at: 130), SceneEvents.sky(at: 130, signals: [44, 22, 33]))
    #expect(
      scene.lines(at: 130.4) == [
        "fixcast watch   Ctrl-C to stop",
        "",
        "Server         2 min  localhost:2947, release 3.22",
        "Receiver       2 min  /dev/ttyACM0, u-blox 7, 9600 baud",
        "",
        "Fix            0.4 s  3D, 9 satellites",
        "                      51.507350° N   0.127760° W   ± 2.5 m (95 %)",
        "                      altitude 35.2 m   speed 15.3 km/h   course 294° true",
        "                      2009-07-24 10:47:06Z",
        "",
        "Sky            0.4 s  2 used of 3 in view   HDOP 0.8",
        "                      G01  44 ███████████████       G03  33 ███████████",
        "                      G02  22 ░░░░░░░░",
        "",
        "Path           2 min  up via eth0",
        "",
        "Weather        2 min  11.4 °C, light rain",
        "                      wind 5.1 m/s from 240°",
        "                      for London",
        "                      forecast by openmeteo, valid 2009-07-24 10:40Z",
        "                      Weather data by Open-Meteo.com, CC BY 4.0",
      ])
  }

  @Test func `the live view reports missing values, with advice`() {
    #expect(
      WatchScene().lines(at: 3) == [
        "fixcast watch   Ctrl-C to stop",
        "",
        "Receiver       3.0 s  no receiver yet; waiting for auto",
        "                      check that it is plugged in and on; see: fixcast doctor",
        "",
        "Fix            3.0 s  no fix yet: no usable data from a receiver",
        "",
        "Sky                   no satellites reported yet",
        "",
        "Path                  not known yet",
        "",
        "Weather               needs a position first",
      ])
  }

  @Test func `the live view tells a receiver without satellites from one that has reported none yet`() {
    var scene = WatchScene()
    scene.at(1, SceneEvents.location(at: 1), SceneEvents.sky(at: 1, signals: []))
    #expect(scene.lines(at: 1.4).contains("Sky            0.4 s  no satellites in view"))
  }

  @Test(arguments: ["silent", "no fix", "lost", "other", "late", "refused"])
  func `the live view never shows an old position as the current position`(loss: String) {
    var scene = WatchScene()
    scene.at(1, SceneEvents.location(at: 1), SceneEvents.sky(at: 1, signals: [44]))
    #expect(scene.lines(at: 2).contains { $0.hasSuffix("51.507350° N   0.127760° W   ± 2.5 m (95 %)") })
    let gone = SourceLoss(.deactivated, receiver: "/dev/ttyACM0", at: .at(12))
    switch loss {
    case "no fix": scene.at(12.5, SceneEvents.noFix(at: 12.5))
    case "lost": scene.at(12.5, SourceEvent.lost(gone, source: "auto"))
    case "other":
      scene.at(12.5, SourceEvent.lost(SourceLoss(.unreachable), source: "gpsd at localhost:2947"))
    case "late":
      // This location is from before the loss but arrives after the loss.
      scene.at(12.5, SourceEvent.lost(gone, source: "auto"), SceneEvents.location(at: 1))
    case "refused":
      scene.at(12.5, AuthorizationEvent(Authorization(.denied)))
    default: break
    }
    let lines = scene.lines(at: 13)
    let positions = lines.filter { $0.contains("51.507350") }
    if loss == "refused" {
      #expect(positions.isEmpty)
      #expect(lines.contains { $0.contains("not authorized") })
    } else {
      #expect(positions == ["            old 12 s  lost; last position 51.507350° N   0.127760° W"], "\(lines)")
      #expect(!lines.contains { $0.contains("█") || $0.contains("altitude") })
    }
    let heading = lines.first { $0.hasPrefix("Fix") }
    let expected =
      switch loss {
      case "no fix":
        "Fix            0.5 s  no fix in 0 s of data: the receiver has not reported its"
      case "lost", "late": "Fix            1.0 s  lost: the receiver is gone"
      case "other": "Fix            0.5 s  lost: cannot be reached"
      case "refused": "Fix                   not authorized to show the position"
      default: "Fix         old 12 s  lost: no data since"
      }
    #expect(heading == expected)
  }

  @Test(arguments: [true, false])
  func `with reduced accuracy, the live view shows no age, and the fix is valid for 15 minutes`(isFromDaemon: Bool) {
    var scene = WatchScene()
    var location = SceneEvents.location(at: 1).location
    location.time = UTCTime(secondsSince1970: 1_248_432_300)
    location.mode = .twoDimensional
    // A location from the daemon has no time of arrival. If this process reduced the accuracy, the
    // time of arrival is meaningless.
    if isFromDaemon { location.receivedAt = nil }
    scene.at(1, LocationEvent(location))
    if !isFromDaemon {
      scene.at(1, AuthorizationEvent(.init(.authorizedAlways, accuracy: .reducedAccuracy)))
    }
    for seconds in [1.0, 30, 900] {
      let lines = scene.lines(at: seconds)
      #expect(lines.contains("Fix                   2D, reduced accuracy, 9 satellites"), "\(lines)")
      #expect(lines.contains { $0.hasSuffix("  2009-07-24 10:45:00Z or up to 15 min later") })
    }
    let lost = scene.lines(at: 1000)
    #expect(lost.contains("Fix       old 16 min  lost: no data since"), "\(lost)")
  }

  @Test func `the live view shows a missing authorization instead of a receiver's fault`() {
    var scene = WatchScene()
    scene.at(1, AuthorizationEvent(.init(.notDetermined)))
    scene.state.allowCommand = "sudo fixcast auth allow user=pi"
    let text = "not authorized yet; allow it with: sudo fixcast auth allow user=pi"
    #expect(scene.lines(at: 9, columns: 120).contains { $0.hasPrefix("Fix ") && $0.hasSuffix(text) })
    #expect(scene.lines(at: 9).contains { $0.hasPrefix("Receiver ") && $0.hasSuffix(" hidden") })
    scene.at(10, AuthorizationEvent(.init(.authorizedAlways)), SceneEvents.location(at: 10))
    #expect(scene.lines(at: 10).contains { $0.hasPrefix("Fix ") && $0.hasSuffix("9 satellites") })
  }

  @Test func `the live view shows a lost receiver with the reason until the receiver delivers again`() {
    var scene = WatchScene()
    scene.at(1, SourceEvent.receiver(ReceiverInfo(name: "/dev/ttyUSB0", isActive: true)))
    scene.at(2, SceneEvents.location(at: 2))
    let loss = SourceLoss(.deactivated, receiver: "/dev/ttyUSB0", detail: "unplugged", at: .at(3))
    scene.at(3, SourceEvent.lost(loss, source: "auto"))
    scene.at(4, SceneEvents.location(at: 4))
    func rows(_ seconds: Double) -> [String] {
      scene.lines(at: seconds).filter { $0.hasPrefix("Receiver") }
    }
    #expect(
      rows(5) == [
        "Receiver       3.0 s  /dev/ttyACM0",
        "Receiver       2.0 s  lost: /dev/ttyUSB0: the receiver is gone: unplugged",
      ])
    #expect(scene.lines(at: 5).contains { $0.hasPrefix("Fix            1.0 s  3D") })
    scene.at(6, SceneEvents.location(at: 6, source: "/dev/ttyUSB0"))
    #expect(rows(7) == ["Receiver       1.0 s  /dev/ttyUSB0", "Receiver       5.0 s  /dev/ttyACM0"])
  }

  @Test func `after two losses, the live view shows the time of the first and the reason of the second`() {
    var scene = WatchScene()
    scene.at(1, SceneEvents.location(at: 1))
    scene.at(3, SourceEvent.lost(SourceLoss(.disconnected), source: "gpsd"))
    scene.at(7, SourceEvent.lost(SourceLoss(.unreachable), source: "gpsd"))
    let lines = scene.lines(at: 8)
    #expect(lines.contains("Fix            5.0 s  lost: cannot be reached"), "\(lines)")
    #expect(lines.contains("Receiver       5.0 s  lost: /dev/ttyACM0: cannot be reached"), "\(lines)")
  }

  @Test func `the live view lists a limited number of receivers, and removes lost receivers first`() {
    var receivers = WatchReceivers()
    receivers.markPresent("kept", at: .at(0))
    for number in 0..<100 {
      receivers.markPresent("\(number)", at: .at(1))
      receivers.markLost(SourceLoss(.deactivated, receiver: "\(number)"), at: .at(2))
    }
    #expect(receivers.entries.count == WatchReceivers.limit)
    #expect(receivers.entries.first?.info.name == "kept")
    #expect(receivers.entries.last?.info.name == "99")
  }

  @Test func `the live view shows the reason for missing or old weather`() {
    var scene = WatchScene()
    func rows(_ seconds: Double) -> [String] {
      scene.lines(at: seconds).drop { !$0.hasPrefix("Weather") }.map { String($0) }
    }
    scene.at(1, SceneEvents.location(at: 1))
    #expect(rows(1) == ["Weather               no answer yet"])
    let held = GateEvent(gate: "reachability", verdict: .holds(reason: "noDefaultRoute"), heldCount: 1)
    scene.at(2, SceneEvents.path(.noDefaultRoute), held)
    #expect(
      rows(4) == [
        "Weather        2.0 s  held: no route",
        "                      looked up as soon as there is a path",
      ])
    #expect(scene.lines(at: 4).contains("Path           2.0 s  no route"))
    scene.at(5, SceneEvents.path(verified: .yes))
    #expect(scene.lines(at: 5).contains("Path           0.0 s  up via eth0"))
    scene.at(5, SceneEvents.path(verified: .upstreamDead))
    #expect(
      scene.lines(at: 5).contains {
        $0.hasSuffix("up via eth0; no answer from beyond the next hop")
      })
    scene.at(5, GateEvent(gate: "reachability", verdict: .passes, heldCount: 3))
    scene.at(6, ErrorEvent(source: "weather", message: "weather provider answered 500"))
    #expect(
      rows(7) == [
        "Weather        1.0 s  weather provider answered 500",
        "                      retry in a minute or more",
      ])
    scene.at(8, SceneEvents.weather(at: 8, place: nil))
    #expect(rows(9).first == "Weather        1.0 s  11.4 °C, light rain")
    #expect(rows(9).contains("                      for 51.50° N 0.12° W"))
    #expect(rows(8 + 7200).first == "Weather      old 2 h  11.4 °C, light rain")
    #expect(!WatchScene(wantsWeather: false).lines(at: 1).contains { $0.hasPrefix("Weather") })
  }

  @Test func `the live view marks simulated data in the title and in the fix`() {
    var scene = WatchScene()
    var location = SceneEvents.location(at: 1).location
    location.isSimulated = true
    scene.at(1, LocationEvent(location))
    let lines = scene.lines(at: 1)
    #expect(lines.first == "fixcast watch   SIMULATED, not a real position   Ctrl-C to stop")
    #expect(lines.contains { $0.hasPrefix("Fix") && $0.hasSuffix(", simulated") })
    // In a terminal with one row, the fix still contains the word "simulated".
    #expect(scene.lines(at: 1, rows: 1) == ["Fix            0.0 s  3D, 9 satellites, simulated"])
  }

  @Test func `the live view marks replayed data, with the age since it was recorded`() {
    var scene = WatchScene()
    var location = SceneEvents.location(at: 1).location
    location.isReplayed = true
    location.recordedAt = MonotonicTime.at(1 - 100_800)
    scene.at(1, LocationEvent(location))
    let lines = scene.lines(at: 1)
    #expect(lines.first == "fixcast watch   RECORDED, not the current position   Ctrl-C to stop")
    #expect(lines.contains("Fix             28 h  3D, 9 satellites, recorded"), "\(lines)")
    let later = scene.lines(at: 60)
    #expect(later.contains { $0.hasPrefix("Fix") && $0.hasSuffix("lost: no data since") })
    #expect(later.contains { $0.contains("old 28 h  lost; last position") && $0.hasSuffix(", recorded") }, "\(later)")
  }

  @Test func `the live view shows a failure for one minute`() {
    var scene = WatchScene()
    scene.at(1, ErrorEvent(source: "place", message: "no"))
    #expect(scene.lines(at: 3).last == "Failure        2.0 s  place: no")
    #expect(!scene.lines(at: 62).contains { $0.hasPrefix("Failure") })
  }

  @Test(
    arguments: [
      (-1, "0.0 s"), (0.04, "0.0 s"), (9.94, "9.9 s"), (9.96, "9 s"), (119.9, "119 s"),
      (120, "2 min"), (7200, "2 h"), (172_800, "2 d"), (.infinity, "very old"),
    ] as [(Double, String)])
  func `the live view formats an age in the largest suitable unit`(seconds: Double, text: String) {
    #expect(WatchRow.age(seconds) == text)
  }
}
