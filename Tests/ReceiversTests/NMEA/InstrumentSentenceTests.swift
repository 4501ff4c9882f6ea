// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// A sentence of an instrument with its expected values and the number of dropped values.
struct InstrumentSentence: CustomTestStringConvertible, Sendable {
  var sentence: String
  /// The origin of the sentence.
  var source: String
  var values: [String] = []
  var refusedCount: UInt64 = 0

  var testDescription: String { sentence }

  /// Sentences from recordings and documentation.
  static let recorded = [
    InstrumentSentence(
      sentence: "$WIMDA,29.8991,I,1.0125,B,27.9,C,,,48.8,,16.1,C,29.4,T,32.0,M,1.6,N,0.8,M*63",
      source: "Airmar weather station, recorded 2018-04-02, public repository",
      values: [
        "pressureUnstated 1012.5", "airTemperature 27.9", "dewPoint 16.1", "humidity 48.8",
        "windSpeed 0.82", "windDirection 29.4",
      ]),
    InstrumentSentence(
      sentence: "$WIMDA,29.5654,I,1.0012,B,20.7,C,,,54.2,,11.1,C,,,,,,,,*7F",
      source: "Airmar weather station without wind, public repository",
      values: ["pressureUnstated 1001.2", "airTemperature 20.7", "dewPoint 11.1", "humidity 54.2"]),
    InstrumentSentence(
      sentence: "$WIMDA,29.8578,I,1.0111,B,26.1,C,,,16.1,,-1.6,C,0.0,T,1.4,M,0.0,N,0.0,M*7C",
      source: "Airmar weather station in a calm, public repository",
      values: [
        "pressureUnstated 1011.1", "airTemperature 26.1", "dewPoint -1.6", "humidity 16.1",
        "windSpeed 0.0", "windDirection 0.0",
      ]),
    InstrumentSentence(
      sentence: "$IIMDA,99700.0,P,1.00,B,3.2,C,,C,,,,C,295.19,T,,M,5.70,N,2.93,M*08",
      source: "example of the Marine API library",
      values: [
        "pressureUnstated 1000.0", "airTemperature 3.2", "windSpeed 2.93", "windDirection 295.19",
      ]),
    InstrumentSentence(
      sentence: "$IIMDA,,I,,B,,C,21.8,C,,,,C,,T,,M,,N,,M*0F",
      source: "Raymarine i70s, public repository", values: ["waterTemperature 21.8"]),
    InstrumentSentence(
      sentence: "$YXXDR,C,,C,WCHR,C,,C,WCHT,C,28.2,C,HINX,P,1.0090,B,STNP*55",
      source: "Airmar weather station, recorded 2018-04-02; a heat index is not a temperature",
      values: ["pressureStation 1009.0"]),
    InstrumentSentence(
      sentence: "$IIXDR,C,18.20,C,ENV_WATER_T,C,28.69,C,ENV_OUTAIR_T,P,101400,P,ENV_ATMOS_P*4C",
      source: "Yacht Devices gateway, test of a public .NET library",
      values: ["pressureStation 1014.0", "airTemperature 28.69", "waterTemperature 18.2"]),
    InstrumentSentence(
      sentence: "$WIXDR,H,092,P,RH,C,014.1,C,TEMP,P,1.025,B,PRESS,C,009.9,C,DP*08",
      source: "Gill GMX500, documentation of its operator",
      values: ["pressureStation 1025.0", "airTemperature 14.1", "dewPoint 9.9", "humidity 92.0"]),
    InstrumentSentence(
      sentence: "$YDXDR,C,6.2,C,Sea_T,H,59.5,P,ENV_INSIDE_H,C,15.6,C,ENV_INSIDE_T*2A",
      source: "Yacht Devices recorder, public repository; a cabin is not outdoors"),
    InstrumentSentence(
      sentence: "$YXXDR,P,0.98966,B*57",
      source: "recorded 2015-12-14, public repository; a pressure without a name"),
    InstrumentSentence(
      sentence: "$YXXDR,C,19.3,C,BRDT,U,11.99,V,BRDV*75",
      source: "Airmar weather station; the temperature of its board"),
    InstrumentSentence(
      sentence: "$IIXDR,C,,C,AIRTEMP,A,-2.9,D,HEEL,A,2.1,D,TRIM,P,,B,BARO,A,-4.1,D,RUDDER*24",
      source: "gpsd, test/daemon/bundg_zeus_9.log; no sensor connected"),
    InstrumentSentence(
      sentence: "$HCXDR,A,169,D,PITCH,A,-42,D,ROLL,G,371,,MAGX,G,2430,,MAGY,G,-8925,,MAGZ*47",
      source: "gpsd, test/daemon/tnt-revolution.log; a compass"),
    InstrumentSentence(
      sentence: "$INMTW,17.9,C*1B", source: "gpsd, test/daemon/humminbird-M37.log",
      values: ["waterTemperature 17.9"]),
    InstrumentSentence(
      sentence: "$SDMTW,,C*1A", source: "gpsd, test/daemon/bundg_zeus_9.log; no sensor connected"),
    InstrumentSentence(
      sentence: "$WIMWD,326.6,T,325.2,M,11.4,N,5.9,M*65",
      source: "gpsd, test/daemon/bundg_zeus_9.log",
      values: ["windSpeed 5.86", "windDirection 326.6"]),
    InstrumentSentence(
      sentence: "$WIMWV,98.4,T,10.5,N,A*24", source: "gpsd, test/daemon/bundg_zeus_9.log",
      values: ["windSpeed 5.4"]),
    InstrumentSentence(
      sentence: "$WIMWV,65.6,R,10.1,N,A*26",
      source: "gpsd, test/daemon/bundg_zeus_9.log; the apparent wind"),
  ]

  /// Faults found in recordings of boats, each in an otherwise valid sentence.
  static let faulty = [
    InstrumentSentence(
      sentence: "IIXDR,P,0.00000,B,Barometer", source: "dead barometer", refusedCount: 1),
    InstrumentSentence(
      sentence: "WIMDA,0.0,I,0.0,B,,C,,C,,,,C,,T,,M,,N,,M", source: "dead barometer",
      refusedCount: 1),
    InstrumentSentence(
      sentence: "WIMDA,29.5654,I,1.0012,B,-273.1,C,,,0.0,,11.1,C,,,,,,,,",
      source: "dead sensor of temperature and humidity",
      values: ["pressureUnstated 1001.2", "dewPoint 11.1"], refusedCount: 2),
    InstrumentSentence(
      sentence: "IIXDR,P,1024.3,B,Barometer", source: "hectopascals as bars", refusedCount: 1),
    InstrumentSentence(
      sentence: "IIXDR,C,70.2,F,TempAir,P,1.03,B,Barometer", source: "degrees Fahrenheit",
      values: ["pressureStation 1030.0"], refusedCount: 1),
    InstrumentSentence(
      sentence: "IIXDR,P,18.2,C,BARO", source: "fields of two transducers mixed", refusedCount: 1),
    InstrumentSentence(sentence: "SDMTW,39.1,C", source: "sensor in the sun", refusedCount: 1),
    InstrumentSentence(sentence: "SDMTW,-9.9,C", source: "sensor broken", refusedCount: 1),
    InstrumentSentence(sentence: "WIMWV,98.4,T,10.5,N,V", source: "status V", refusedCount: 1),
    InstrumentSentence(
      sentence: "WIMWV,98.4,T,999.9,N,A", source: "impossible wind speed", refusedCount: 1),
  ]
}

@Suite("Weather sentences")
struct InstrumentSentenceTests {
  private func check(_ row: InstrumentSentence, _ bytes: [UInt8]) {
    var decoder = NMEADecoder(source: "wire", pace: .live)
    var reading = InstrumentReading(source: nil)
    decoder.decode(bytes.span, receivedAt: MonotonicTime(nanoseconds: 1)) {
      reading = $0.instruments ?? reading
    }
    let values = InstrumentQuantity.allCases.compactMap { quantity in
      reading[keyPath: quantity.field].map { "\(quantity) \(($0 * 100).rounded() / 100)" }
    }
    #expect(values == row.values, "\(row.source)")
    #expect(decoder.counters.droppedMeasurements == row.refusedCount, "\(row.source)")
    #expect(decoder.counters.sentences == 1 && decoder.counters.errors == 0, "\(row.source)")
  }

  @Test(arguments: InstrumentSentence.recorded)
  func `outdoor measurements of real instruments are decoded`(row: InstrumentSentence) {
    check(row, Array((row.sentence + "\r\n").utf8))
  }

  @Test(arguments: InstrumentSentence.faulty)
  func `each implausible value of a broken sensor is dropped and counted`(row: InstrumentSentence) {
    check(row, line(row.sentence))
  }

  @Test(arguments: [
    "C,18.2,C,WATER", "C,18.2,C,AIR", "H,59.5,P,ENV_OUTAIR_T", "H,59.5,P,ENV_OUTSIDE_T",
  ])
  func `a transducer with an unknown name is ignored`(transducer: String) {
    check(
      InstrumentSentence(sentence: transducer, source: "no recording"),
      line("IIXDR," + transducer))
  }

  @Test func `an XDR with a missing field is rejected completely`() {
    var decoder = NMEADecoder(source: "wire", pace: .live)
    decoder.decode(
      line("IIXDR,P,1.0,B,C,18.2,C,AIRTEMP").span, receivedAt: MonotonicTime(nanoseconds: 1)
    ) { Issue.record("\($0)") }
    #expect(decoder.counters.errors == 1)
  }
}
