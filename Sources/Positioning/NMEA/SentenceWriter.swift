// SPDX-License-Identifier: Apache-2.0

/// Writes NMEA 0183 sentences with fields, checksum and line ending.
///
/// An unknown value is written as an empty field.
package struct SentenceWriter {
  /// The maximum length of a sentence in NMEA 0183, from `$` to the line feed.
  package static let maxSentenceBytes = 82

  /// All sentences written so far.
  package private(set) var bytes: [UInt8] = []

  /// Makes a writer without sentences.
  package init() { bytes.reserveCapacity(2048) }

  /// Writes a sentence; the first field is the address, such as `GNRMC`.
  package mutating func write(_ fields: [String]) {
    let body = Array(fields.joined(separator: ",").utf8)
    let checksum = String(body.reduce(0, ^), radix: 16, uppercase: true)
    bytes.append(UInt8(ascii: "$"))
    bytes += body
    bytes += "*\(checksum.utf8.count < 2 ? "0" : "")\(checksum)\r\n".utf8
  }

  /// Formats a whole number with leading zeros up to a width.
  package static func digits(_ value: Int, width: Int = 1) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
  }

  /// Formats a number with fixed decimal places; empty if it is `nil`, NaN or 1e9 or more.
  package static func fixed(_ value: Double?, _ places: Int, width: Int = 1) -> String {
    guard let value, abs(value) < 1e9 else { return "" }
    let one = (0..<places).reduce(1) { power, _ in power * 10 }
    let scaled = Int((abs(value) * Double(one)).rounded())
    return (value < 0 && scaled > 0 ? "-" : "") + digits(scaled / one, width: width)
      + (places > 0 ? "." + digits(scaled % one, width: places) : "")
  }

  /// Formats a number in at most `width` characters, with fewer decimal places if necessary.
  ///
  /// Returns an empty text if the whole number is too long, or if ``fixed(_:_:width:)`` does.
  package static func fitted(_ value: Double?, _ places: Int, within width: Int) -> String {
    let texts = (0...places).lazy.map { fixed(value, places - $0) }
    return texts.first { $0.utf8.count <= width } ?? ""
  }

  /// Formats a course; a value that would be rounded to 360 becomes 0.
  package static func course(_ degrees: Double?) -> String {
    fixed(degrees.map { $0 < 359.995 ? $0 : 0 }, 2)
  }

  /// Formats a time as `hhmmss.ss`, with two or three decimal places.
  package static func time(_ time: UTCTimeOfDay, places: Int) -> String {
    let seconds = Int(time.hour) * 10_000 + Int(time.minute) * 100 + Int(time.second)
    let milliseconds = Int(time.nanosecond / 1_000_000)
    return digits(seconds, width: 6) + "."
      + digits(places < 3 ? milliseconds / 10 : milliseconds, width: places)
  }

  /// Returns the length of a sentence with these fields, including checksum and line ending.
  package static func length(_ fields: [String]) -> Int {
    fields.reduce(5) { sum, field in sum + field.utf8.count + 1 }
  }

  /// Formats latitude, hemisphere, longitude and hemisphere as four fields.
  package static func place(_ place: Coordinate) -> [String] {
    [
      angle(place.latitudeDegrees, width: 2), place.latitudeDegrees < 0 ? "S" : "N",
      angle(place.longitudeDegrees, width: 3), place.longitudeDegrees < 0 ? "W" : "E",
    ]
  }

  /// Formats degrees and minutes with five decimal places.
  ///
  /// Five decimal places of a minute are two centimetres. With more places, a sentence could exceed
  /// 82 characters.
  private static func angle(_ degrees: Double, width: Int) -> String {
    // The total minutes are rounded, so that 59.999999 carries into the degrees.
    let minutes = (abs(degrees) * 6_000_000).rounded() / 100_000
    let whole = Int(minutes / 60)
    return digits(whole, width: width) + fixed(minutes - Double(whole) * 60, 5, width: 2)
  }
}
