// SPDX-License-Identifier: Apache-2.0

import Positioning
internal import Receivers
internal import SystemSupport

/// Writes NMEA 0183 sentences: fields, checksum, line ending.
struct SentenceWriter {
  /// All sentences so far.
  private(set) var bytes: [UInt8] = []
  private var bodyStart = 0

  init() { bytes.reserveCapacity(2048) }

  /// Begins a sentence with its address, such as `GNRMC`.
  mutating func begin(_ address: String) {
    bytes.append(UInt8(ascii: "$"))
    bodyStart = bytes.count
    bytes.append(contentsOf: address.utf8)
  }

  /// Ends the sentence with its checksum and CRLF.
  mutating func end() {
    let checksum = bytes[bodyStart...].reduce(0, ^)
    bytes.append(UInt8(ascii: "*"))
    bytes.append(Self.hexDigit(checksum >> 4))
    bytes.append(Self.hexDigit(checksum & 15))
    bytes.append(0x0D)
    bytes.append(0x0A)
  }

  /// Writes a field as it is; an empty one means unknown.
  mutating func field(_ text: String = "") {
    bytes.append(UInt8(ascii: ","))
    bytes.append(contentsOf: text.utf8)
  }

  /// Writes a whole number with leading zeros up to a width.
  mutating func field(_ value: Int, width: Int = 1) {
    bytes.append(UInt8(ascii: ","))
    digits(UInt64(value.magnitude), width: width)
  }

  /// Writes a decimal fraction rounded to some places; an unknown one as an empty field.
  mutating func field(_ value: Double?, places: Int, width: Int = 1) {
    bytes.append(UInt8(ascii: ","))
    guard let value, let scaled = Self.scaled(value, places) else { return }
    if value < 0, scaled > 0 { bytes.append(UInt8(ascii: "-")) }
    fixed(scaled, places: places, width: width)
  }

  /// Writes a course: rounding must not make a whole turn of it.
  mutating func field(courseDegrees course: Double?) {
    bytes.append(UInt8(ascii: ","))
    guard let course, let scaled = Self.scaled(course, 2) else { return }
    fixed(scaled % 36_000, places: 2, width: 1)
  }

  /// Writes `hhmmss.ss`, with as many places as the rate of the receiver asks for.
  mutating func field(timeOfDay time: UTCTimeOfDay, places: Int) {
    bytes.append(UInt8(ascii: ","))
    digits(UInt64(time.hour), width: 2)
    digits(UInt64(time.minute), width: 2)
    digits(UInt64(time.second), width: 2)
    bytes.append(UInt8(ascii: "."))
    digits(UInt64(time.nanosecond) / Self.powerOfTen(9 - places), width: places)
  }

  /// Writes latitude, hemisphere, longitude and hemisphere as four fields.
  mutating func field(_ place: Coordinate, minutePlaces: Int) {
    angle(place.latitudeDegrees, degreeDigits: 2, places: minutePlaces)
    field(place.latitudeDegrees < 0 ? "S" : "N")
    angle(place.longitudeDegrees, degreeDigits: 3, places: minutePlaces)
    field(place.longitudeDegrees < 0 ? "W" : "E")
  }

  private mutating func angle(_ degrees: Double, degreeDigits: Int, places: Int) {
    bytes.append(UInt8(ascii: ","))
    // All minutes are rounded at once, so that 59.999999 carries into the degrees.
    guard let minutes = Self.scaled(degrees * 60, places) else { return }
    let perDegree = 60 * Self.powerOfTen(places)
    digits(minutes / perDegree, width: degreeDigits)
    fixed(minutes % perDegree, places: places, width: 2)
  }

  private mutating func fixed(_ scaled: UInt64, places: Int, width: Int) {
    let one = Self.powerOfTen(places)
    digits(scaled / one, width: width)
    guard places > 0 else { return }
    bytes.append(UInt8(ascii: "."))
    digits(scaled % one, width: places)
  }

  private mutating func digits(_ value: UInt64, width: Int) {
    let text = String(value).utf8
    for _ in 0..<max(0, width - text.count) { bytes.append(UInt8(ascii: "0")) }
    bytes.append(contentsOf: text)
  }

  /// The magnitude in units of the last place; `nil` beyond what a receiver could mean.
  private static func scaled(_ value: Double, _ places: Int) -> UInt64? {
    let magnitude = abs(value)
    guard magnitude < 1e9 else { return nil }
    return UInt64((magnitude * Double(powerOfTen(places))).rounded())
  }

  private static func powerOfTen(_ exponent: Int) -> UInt64 {
    (0..<max(0, min(9, exponent))).reduce(1) { power, _ in power * 10 }
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + (value - 10)
  }
}
