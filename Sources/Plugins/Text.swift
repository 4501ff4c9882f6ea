// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// Numbers as people read them, with a point whatever the locale.
package enum Text {
  /// A number with a fixed number of decimals, 0 to 9, halves away from zero.
  package static func fixed(_ value: Double, _ places: Int, width: Int = 0) -> String {
    var unit = 1.0
    for _ in 0..<min(max(places, 0), 9) { unit *= 10 }
    let scaled = (value * unit).rounded()
    guard scaled.magnitude < 1e15 else { return padded(value.description, width, right: true) }
    let (whole, rest) = Int(scaled).magnitude.quotientAndRemainder(dividingBy: UInt(unit))
    var text = (scaled < 0 ? "-" : "") + String(whole)
    if places > 0 {
      let digits = String(rest)
      text += "." + String(repeating: "0", count: max(places - digits.count, 0)) + digits
    }
    return padded(text, width, right: true)
  }

  package static func padded(_ text: String, _ width: Int, right: Bool = false) -> String {
    let padding = String(repeating: " ", count: max(width - text.count, 0))
    return right ? padding + text : text + padding
  }

  /// `2009-07-24 10:47:06Z`.
  package static func time(_ time: UTCTime) -> String {
    let (year, month, day) = time.date.civil
    let clock = time.timeOfDay
    func two(_ number: some BinaryInteger) -> String { (number < 10 ? "0" : "") + "\(number)" }
    return "\(year)-\(two(month))-\(two(day)) "
      + "\(two(clock.hour)):\(two(clock.minute)):\(two(clock.second))Z"
  }

  /// `2009-07-24 10:45:00Z or up to 15 min later`: a time as reduced accuracy tells it, which is the
  /// beginning of its quarter of an hour.
  package static func coarse(_ time: UTCTime) -> String {
    "\(Self.time(time)) or up to \(UTCTime.quarterSeconds / 60) min later"
  }

  /// `51.507350° N    0.127760° W`, in columns.
  package static func coordinate(_ coordinate: Coordinate, places: Int = 6) -> String {
    let latitude = coordinate.latitudeDegrees
    let longitude = coordinate.longitudeDegrees
    return fixed(latitude.magnitude, places, width: places + 3)
      + (latitude < 0 ? "° S " : "° N ")
      + fixed(longitude.magnitude, places, width: places + 4) + (longitude < 0 ? "° W" : "° E")
  }

  /// A receiver in a line: its name, and what is known of it.
  package static func receiver(_ receiver: ReceiverInfo) -> String {
    let parts =
      [receiver.name, receiver.model, receiver.driver]
      + [receiver.baud.map { "\($0) baud" }, receiver.isActive ? nil : "not read at present"]
    return parts.compactMap { $0 }.joined(separator: ", ")
  }

  /// A server in a line.
  package static func server(_ server: SourceServer) -> String {
    server.address + (server.release.map { ", release \($0)" } ?? "")
  }
}
