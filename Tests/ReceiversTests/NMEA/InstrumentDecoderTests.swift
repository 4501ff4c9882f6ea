// SPDX-License-Identifier: Apache-2.0

import Foundation
import Positioning
import Testing

@testable import Receivers

@Suite("Readings of instruments")
struct InstrumentDecoderTests {
  private static func position(_ second: Int) -> String {
    "GPRMC,12000\(second),A,4807.038,N,01131.000,E,0.5,084.4,230324,,,A"
  }

  /// Decodes a recording and returns its events.
  private func events(_ sentences: String...) -> [FixSourceEvent] {
    var decoder = NMEADecoder(source: "log", pace: .recorded)
    var events: [FixSourceEvent] = []
    for sentence in sentences {
      decoder.decode(line(sentence).span, receivedAt: nil) { events.append($0) }
    }
    decoder.finish { events.append($0) }
    return events
  }

  @Test func `a reading is delivered before the fix of its epoch, with the time and source of the fix`() throws {
    let events = events(Self.position(1), "IIMTW,17.9,C", "IIXDR,P,1.0131,B,Barometer", Self.position(2))
    #expect(events.map(\.kind) == ["instruments", "fix 2", "fix 2"])
    let reading = try #require(events.first?.instruments)
    #expect(reading.source == "log")
    #expect(reading.time == events.compactMap(\.fix).first?.time)
    #expect(reading.waterTemperatureDegreesCelsius == 17.9)
    #expect(abs(try #require(reading.pressureStationHectopascals) - 1013.1) < 1e-9)
    #expect(reading.airTemperatureDegreesCelsius == nil)
  }

  @Test func `a reading contains the newest values of its epoch only`() {
    let readings = events(
      Self.position(1), "IIMTW,17.9,C", "IIMTW,18.0,C", Self.position(2), "WIMWD,20,T,,,10.0,N,,",
      Self.position(3)
    ).compactMap(\.instruments)
    #expect(readings.map(\.waterTemperatureDegreesCelsius) == [18, nil])
    #expect(readings.map(\.windDirectionDegreesTrue) == [nil, 20])
  }

  @Test func `the angle of MWV is converted to a true wind direction only with a true heading`() {
    let readings = events(
      Self.position(1), "WIMWV,100.0,T,10.0,N,A", "HEHDT,300.0,T", Self.position(2),
      "WIMWV,100.0,T,10.0,N,A", "APHDM,300.0,M", Self.position(3)
    ).compactMap(\.instruments)
    #expect(readings.map(\.windDirectionDegreesTrue) == [40, nil])
    #expect(readings.allSatisfy { $0.windSpeedMetersPerSecond != nil })
  }

  @Test func `a wind direction from MWD has priority over a direction calculated from MWV`() {
    let readings = events(
      Self.position(1), "WIMWD,333.3,T,,,10.0,N,,", "WIMWV,100.0,T,10.0,N,A", "HEHDT,300.0,T",
      Self.position(2)
    ).compactMap(\.instruments)
    #expect(readings.map(\.windDirectionDegreesTrue) == [333.3])
  }

  @Test func `MWV does not change the wind from MWD, in either order`() {
    let (mwd, mwv) = ("WIMWD,333.3,T,,,10.0,N,,", "WIMWV,100.0,T,20.0,N,A")
    let readings = events(
      Self.position(1), mwd, mwv, "HEHDT,300.0,T", Self.position(2), mwv, mwd, "HEHDT,300.0,T",
      Self.position(3)
    ).compactMap(\.instruments)
    #expect(readings.map(\.windDirectionDegreesTrue) == [333.3, 333.3])
    #expect(readings.map { ($0.windSpeedMetersPerSecond ?? 0).rounded() } == [5, 5])
  }

  @Test func `a speed from MWV is not combined with a direction from an MWD without a speed`() {
    let (mwd, mwv) = ("WIMWD,333.3,T,,,,N,,", "WIMWV,100.0,T,20.0,N,A")
    let readings = events(
      Self.position(1), mwd, mwv, Self.position(2), mwv, mwd, Self.position(3)
    ).compactMap(\.instruments)
    #expect(readings.map(\.windDirectionDegreesTrue) == [333.3, 333.3])
    #expect(readings.map(\.windSpeedMetersPerSecond) == [nil, nil])
  }

  @Test func `the wind angle of an MWV with an implausible speed is ignored`() {
    let readings = events(
      Self.position(1), "IIMTW,17.9,C", "WIMWV,100.0,T,999.9,N,A", "HEHDT,300.0,T",
      Self.position(2)
    ).compactMap(\.instruments)
    #expect(readings.map(\.windDirectionDegreesTrue) == [nil])
    #expect(readings.map(\.windSpeedMetersPerSecond) == [nil])
  }

  @Test func `the arrival time of a reading is the arrival time of its oldest value`() {
    var fixture = DecoderFixture(.live)
    fixture.send([Self.position(1), Self.position(2)], everyMilliseconds: 1000)
    fixture.send(["IIMTW,17.9,C", "WIMWD,20,T,,,10.0,N,,"], everyMilliseconds: 100)
    fixture.send([Self.position(3)], everyMilliseconds: 800)
    fixture.send([Self.position(4)], everyMilliseconds: 1000)
    #expect(fixture.readings.map(\.receivedAt) == [MonotonicTime(nanoseconds: 2_100_000_000)])
  }

  @Test func `values pending when the receiver falls silent are not combined with later values`() {
    var fixture = DecoderFixture(.live)
    fixture.send([Self.position(1), Self.position(2)], everyMilliseconds: 1000)
    fixture.send(["IIMTW,17.9,C"], everyMilliseconds: 100)
    fixture.send(["WIMDA,,I,,B,3.2,C,,,,,,,,,,,,,,"], everyMilliseconds: 300_000)
    #expect(fixture.readings.map(\.waterTemperatureDegreesCelsius) == [17.9, nil])
    #expect(fixture.readings.map(\.airTemperatureDegreesCelsius) == [nil, 3.2])
    #expect(fixture.readings.map(\.receivedAt) == [2100, 302_100].map { MonotonicTime(nanoseconds: $0 * 1_000_000) })
  }

  @Test func `a live reading has no time if the next fix arrives minutes later`() {
    var fixture = DecoderFixture(.live)
    fixture.send([Self.position(1), Self.position(2)], everyMilliseconds: 1000)
    fixture.pause(milliseconds: 1000)
    fixture.send(["IIMTW,17.9,C"])
    fixture.send([Self.position(3), Self.position(4)], everyMilliseconds: 300_000)
    #expect(fixture.fixes.count >= 3)
    #expect(fixture.readings.map(\.time) == [nil])
    #expect(fixture.readings.map(\.receivedAt) == [MonotonicTime(nanoseconds: 3_005_000_000)])
  }

  @Test func `readings are delivered at once if no fix has arrived before`() {
    var fixture = DecoderFixture(.live)
    fixture.send(["IIMTW,17.9,C", "IIMTW,18.0,C"], everyMilliseconds: 1000)
    #expect(fixture.readings.map(\.waterTemperatureDegreesCelsius) == [17.9, 18])
    #expect(fixture.readings.allSatisfy { $0.time == nil })
    #expect(fixture.readings.map(\.receivedAt) == [1, 2].map { MonotonicTime(nanoseconds: $0 * 1_000_000_000) })
  }

  @Test func `a reading waits for the next fix for at most two seconds`() {
    var fixture = DecoderFixture(.live)
    fixture.send([Self.position(1), Self.position(2)], everyMilliseconds: 1000)
    fixture.send(["IIMTW,17.9,C"], everyMilliseconds: 100)
    #expect(fixture.readings.isEmpty)
    fixture.send(["IIMTW,18.0,C"], everyMilliseconds: 3000)
    #expect(fixture.readings.map(\.waterTemperatureDegreesCelsius) == [17.9, 18])
  }

  @Test func `readings of a simulated receiver are marked as simulated`() {
    let readings = events(
      "GPTXT,01,01,02,FIXCAST SIMULATED", Self.position(1), "IIMTW,17.9,C", Self.position(2)
    ).compactMap(\.instruments)
    #expect(readings.map(\.isSimulated) == [true])
  }

  @Test func `the recording of a boat yields wind, and no values of unconnected sensors`() throws {
    let log = try #require(Corpus.logs.first { $0.lastPathComponent == "bundg_zeus_9.log" })
    let bytes = Array(try Data(contentsOf: log))
    var decoder = NMEADecoder(source: "boat", pace: .recorded)
    var readings: [InstrumentReading] = []
    decoder.decode(bytes.span, receivedAt: nil) {
      if let reading = $0.instruments { readings.append(reading) }
    }
    decoder.finish { if let reading = $0.instruments { readings.append(reading) } }
    #expect(readings.count > 100)
    #expect(readings.allSatisfy { $0.waterTemperatureDegreesCelsius == nil })
    #expect(readings.dropFirst().allSatisfy { $0.time != nil })
    #expect(readings.allSatisfy { (320...340).contains($0.windDirectionDegreesTrue ?? 330) })
    #expect(decoder.counters.droppedMeasurements == 0)
  }
}
