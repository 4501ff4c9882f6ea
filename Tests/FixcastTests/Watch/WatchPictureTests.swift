// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import LocationServices
import PathMonitorClient
import Pipeline
import Positioning
import Testing
import WeatherClient
import WeatherFeature

@testable import fixcast

/// The picture of `fixcast watch` in the README.
///
/// `.ci/render_terminal.py` renders the picture from the bytes that the view writes to a terminal
/// of 80 columns, for a receiver and weather that are always the same. After a change of the view,
/// update the picture with `FIXCAST_UPDATE_PICTURES=1 swift test --filter WatchPictureTests`.
@Suite("The picture of the live view")
struct WatchPictureTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let columns = 80
  private static let rows = 29

  private static func location(at seconds: Double) -> LocationEvent {
    var event = SceneEvents.location(at: seconds)
    event.location.coordinate = .at(54.32281, 10.13952)
    event.location.time = .noon
    event.location.altitudeMetersAboveSeaLevel = 4.6
    event.location.speedMetersPerSecond = 3.1
    event.location.courseDegreesTrue = 12
    event.location.satellitesUsed = 11
    return event
  }

  private static func sky(at seconds: Double) -> SkyEvent {
    var event = SceneEvents.sky(at: seconds, signals: [])
    // Number, signal in dB-Hz, elevation and azimuth in degrees.
    let systems: [(SatelliteID.System, [(UInt8, Double, Double, Double)])] = [
      (
        .gps,
        [
          (5, 44, 76, 210), (12, 38, 41, 64), (13, 29, 17, 120), (15, 41, 58, 292),
          (24, 35, 33, 250), (25, 22, 8, 352),
        ]
      ),
      (.glonass, [(1, 33, 28, 31), (8, 27, 12, 318), (17, 36, 44, 160)]),
      (.galileo, [(3, 40, 62, 104), (15, 31, 21, 196), (30, 37, 49, 338)]),
    ]
    event.sky.satellites = systems.flatMap { system, satellites in
      satellites.map { number, signalDBHz, elevation, azimuth in
        Samples.satellite(
          number, of: system, signalDBHz: signalDBHz, isUsed: signalDBHz > 25, elevation: elevation, azimuth: azimuth)
      }
    }
    return event
  }

  private static func weather(at seconds: Double) -> EnrichedEvent {
    let report = Samples.report(at: .at(54.32, 10.14)) {
      $0.now.temperatureDegreesCelsius = 6.2
      $0.now.condition = .lightRain
      $0.now.windSpeedMetersPerSecond = 8.4
      $0.now.windDirectionDegreesTrue = 240
      $0.attribution = "Weather data by Open-Meteo.com, CC BY 4.0"
      ($0.validAt, $0.receivedAt) = (.noon, .at(seconds))
    }
    let place = Place(id: 1, title: "Kiel", coordinate: .at(54.32, 10.14))
    return Samples.enriched(report, at: location(at: seconds).location, in: place)
  }

  /// The bytes that the view writes.
  private static func terminalBytes() -> [UInt8] {
    var receiver = ReceiverInfo(name: "/dev/ttyACM0", isActive: true)
    receiver.model = "u-blox 8"
    receiver.baud = 9600
    var scene = WatchScene()
    scene.at(2, SourceEvent.receiver(receiver), SceneEvents.path(), weather(at: 2))
    scene.at(130, location(at: 130), sky(at: 130))
    var display = WatchDisplay()
    display.hasKeys = true
    let lines = scene.lines(at: 130.3, columns: columns, rows: rows, usesColor: true, display: display)
    var frame = ScreenFrame()
    return Array(ScreenFrame.enter.utf8) + frame.bytes(showing: lines, columns: columns)
  }

  @Test func `the SVG in the documentation is identical to the current output of the live view`() throws {
    let folder = try ScratchFolder()
    let bytes = URL(fileURLWithPath: folder.path + "/terminal")
    try Data(Self.terminalBytes()).write(to: bytes)
    let script = Process()
    script.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    script.arguments = [
      Self.root.appending(path: ".ci/render_terminal.py").path, "\(Self.columns)", "\(Self.rows)",
      "fixcast watch",
    ]
    let output = Pipe()
    script.standardInput = try FileHandle(forReadingFrom: bytes)
    script.standardOutput = output
    try script.run()
    let svg = output.fileHandleForReading.readDataToEndOfFile()
    script.waitUntilExit()
    #expect(script.terminationStatus == 0)
    let file = Self.root.appending(path: "Sources/fixcast/fixcast.docc/watch.svg")
    if ProcessInfo.processInfo.environment["FIXCAST_UPDATE_PICTURES"] != nil {
      try svg.write(to: file)
    }
    #expect(try Data(contentsOf: file) == svg, "update the picture: see the comment of this suite")
  }
}
