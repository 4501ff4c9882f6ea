// SPDX-License-Identifier: Apache-2.0

import DaemonServer
import FixcastTesting
import Positioning
import Testing
import WeatherClientLive

@testable import Daemon

@Suite("Weather for clients with reduced accuracy")
struct ReducedWeatherTests {
  private static let cell = Coordinate.at(51.525, -0.1234)

  private let published = EventRecorder<ServerObject>()

  private func weather(sensors: String = "/nonexistent", isEnabled: Bool = true) -> ReducedWeather {
    let weatherQueries = WeatherQueries(
      service: WeatherService(sources: [], storePath: nil), sensors: IIOSensors(root: sensors),
      utcNow: { UTCTime(secondsSince1970: 1_795_262_837) }, now: { .at(0) })
    return ReducedWeather(
      weatherQueries: { isEnabled ? weatherQueries : nil }, isReachable: { false },
      now: { .at(0) },
      publish: { [published] event in
        if case .object(let object) = event { published.record(object) }
      })
  }

  @Test func `weather at a cell's centre is sent to clients of that cell, and expires after 15 minutes`() async throws {
    let folder = try ScratchFolder()
    try folder.write("iio:device0/name", "bme280\n")
    try folder.write("iio:device0/in_temp_input", "21500\n")
    let weather = weather(sensors: folder.path)
    weather.cellPublished(Self.cell)
    let running = Task { await weather.run() }
    let object = try #require(await published.wait(for: 1).first)
    running.cancel()
    #expect(object.audience == .cell(Self.cell) && object.keeping == .newest(subject: nil))
    let json = try #require(object.json(at: .at(900)))
    let text = String(decoding: json, as: UTF8.self)
    #expect(text.hasPrefix(#"{"class":"WEATHER","time":"2026-11-21T12:00:00.000Z","#), "\(text)")
    #expect(text.contains(#""lat":51.525,"lon":-0.1234,"#) && text.contains("moon"))
    // The board's own measurements are excluded, because they are for the board's exact position.
    #expect(!text.contains("21.5"), "\(text)")
    #expect(object.json(at: .at(901)) == nil)
  }

  @Test func `the weather of a cell without values is published again when the network path changes`() async {
    let weather = weather()
    weather.pathChanged()
    let running = Task { await weather.run() }
    weather.cellPublished(Self.cell)
    await published.wait(for: 1)
    weather.pathChanged()
    #expect(await published.wait(for: 2).count == 2)
    running.cancel()
    await running.value
    let off = self.weather(isEnabled: false)
    off.cellPublished(Self.cell)
    let idle = Task { await off.run() }
    idle.cancel()
    await idle.value
    #expect(published.events.count == 2)
  }

  @Test func `only the weather of the newest cell is published`() async {
    let weather = weather()
    let other = Coordinate.at(51.575, -0.1234)
    for _ in 0..<100 { weather.cellPublished(Self.cell) }
    weather.cellPublished(other)
    weather.pathChanged()
    let running = Task { await weather.run() }
    #expect(await published.wait(for: 1).map(\.audience) == [.cell(other)])
    weather.cellPublished(Self.cell)
    #expect(await published.wait(for: 2).map(\.audience) == [.cell(other), .cell(Self.cell)])
    running.cancel()
    await running.value
  }
}
