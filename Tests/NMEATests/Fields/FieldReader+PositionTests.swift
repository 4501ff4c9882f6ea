// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import NMEA

private let forms: [(String, Double)] = [
  ("0000.0000", 0), ("9000.0000", 90), ("9000", 90), ("8959.9999999", 89.99999999833333),
  ("4404", 44.06666666666667), ("4404.", 44.06666666666667), ("30.0", 0.5), ("6", 0.1),
  (".6", 0.01), ("004404.0", 44.06666666666667), ("+4530.0", 45.5),
  ("9000." + String(repeating: "0", count: 40), 90),
]

@Suite("Positions in NMEA fields", .oneAtATime)
struct FieldReaderPositionTests {
  @Test func `latitudes and longitudes are rounded to the nearest double`() {
    var random = Random(seed: 7)
    for _ in 0..<RandomInputs.count(100_000) {
      let digits = (0..<random.number(in: 0...30)).map { _ in "\(random.number(in: 0...9))" }
      let fraction = digits.isEmpty && random.happens(oneIn: 2) ? "" : "." + digits.joined()
      let minutes = padded(random.number(in: 0...59), 2)
      let latitude = padded(random.number(in: 0...89), 2) + minutes + fraction
      let longitude = padded(random.number(in: 0...179), 3) + minutes + fraction
      let fields = read("GPGLL,\(latitude),N,\(longitude),W,,A,A").gll
      guard let north = fields?.latitudeDegrees, let east = fields?.longitudeDegrees,
        ExactValue(angle: latitude).rounds(to: north), east.sign == .minus || east == 0,
        ExactValue(angle: longitude).rounds(to: abs(east))
      else {
        Issue.record("\(latitude), \(longitude) is read as \(String(describing: fields))")
        continue
      }
    }
  }

  @Test(arguments: forms)
  func `a latitude may have any number of digits`(text: String, degrees: Double) {
    #expect(read("GPGLL,\(text),N,,,,,").gll?.latitudeDegrees == degrees)
    #expect(read("GPGLL,\(text),S,,,,,").gll?.latitudeDegrees == 0 - degrees)
  }

  @Test(arguments: [
    "9000.0001", "9001", "9100.0", "4460.0001", "4461", "4499.9", "8960.0", "9060.0", "18000.0",
    "99999999999999999999",
    "9000." + String(repeating: "0", count: 30) + "1",
    "9000." + String(repeating: "0", count: 60) + "1",
    "4460." + String(repeating: "0", count: 30) + "1",
    "8960." + String(repeating: "0", count: 60),
  ])
  func `a latitude out of range is unknown and causes an error`(text: String) {
    let reading = read("GPGLL,\(text),N,00100.0,E,000000,A,A")
    #expect(reading.gll?.latitudeDegrees == nil)
    #expect(reading.gll?.longitudeDegrees == 1)
    #expect(reading.errors.map(\.kind) == [.outOfRange])
    #expect(reading.errors.map(\.field) == [1])
  }

  @Test(
    arguments: [
      ("5960.0000", 60, "02960.0000000", 30), ("0060", 1, "00060", 1),
      ("8860.", 89, "17960.00000", 180),
      ("5960." + String(repeating: "0", count: 60), 60, "8960.0", 90),
    ] as [(String, Double, String, Double)])
  func `an angle of exactly 60 minutes is the next whole degree`(
    latitude: String, north: Double, longitude: String, east: Double
  ) throws {
    let reading = read("GPGLL,\(latitude),N,\(longitude),E,000000,A,A")
    #expect(reading.gll?.latitudeDegrees == north)
    #expect(reading.gll?.longitudeDegrees == east)
    #expect(reading.errors.isEmpty)
  }

  @Test func `a longitude of 180 degrees and 60 minutes is unknown`() {
    #expect(read("GPGLL,0000.0,N,18060.0,E,000000,A,A").gll?.longitudeDegrees == nil)
  }

  private func padded(_ number: Int, _ count: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}
