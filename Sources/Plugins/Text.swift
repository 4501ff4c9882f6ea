// SPDX-License-Identifier: Apache-2.0

package import Positioning
internal import SystemSupport

/// Numbers, times and texts formatted for people, with a decimal point in every locale.
package enum Text {
  /// Returns a number with 0 to 9 decimal places; halves are rounded away from zero.
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

  /// Returns the marks of a value that is not a current measurement, empty for one that is.
  package static func marks(isSimulated: Bool, isReplayed: Bool) -> [String] {
    (isSimulated ? ["simulated"] : []) + (isReplayed ? ["recorded"] : [])
  }

  package static func padded(_ text: String, _ width: Int, right: Bool = false) -> String {
    let padding = String(repeating: " ", count: max(width - text.count, 0))
    return right ? padding + text : text + padding
  }

  /// Formats a time as `2009-07-24 10:47:06Z`.
  package static func time(_ time: UTCTime) -> String { ValueFormat().time(time) }

  /// Formats a coordinate as `51.507350° N    0.127760° W`, in columns.
  package static func coordinate(_ coordinate: Coordinate, places: Int = 6) -> String {
    let latitude = coordinate.latitudeDegrees
    let longitude = coordinate.longitudeDegrees
    return fixed(latitude.magnitude, places, width: places + 3)
      + (latitude < 0 ? "° S " : "° N ")
      + fixed(longitude.magnitude, places, width: places + 4) + (longitude < 0 ? "° W" : "° E")
  }

  /// Describes a receiver in one line.
  package static func receiver(_ receiver: ReceiverInfo) -> String {
    let parts =
      [receiver.name, receiver.model, receiver.driver]
      + [receiver.baud.map { "\($0) baud" }, receiver.isActive ? nil : "not read at present"]
    return parts.compactMap { $0 }.joined(separator: ", ")
  }

  /// Describes a server in one line.
  package static func server(_ server: SourceServer) -> String {
    server.address + (server.release.map { ", release \($0)" } ?? "")
  }
}

/// Safe output of untrusted text on a terminal.
extension Text {
  /// Replaces each control character by a visible symbol.
  package static func visible(_ text: String, keepingNewlines: Bool = false) -> String {
    TerminalText.visible(text, keepingNewlines: keepingNewlines)
  }

  /// Returns the number of terminal columns of a text, at least one per character.
  package static func columns(_ text: String) -> Int { text.reduce(0) { $0 + columns($1) } }

  /// Returns the beginning of a text that fits into `limit` columns, with an ellipsis if it is cut.
  package static func cut(_ text: String, columns limit: Int) -> String {
    guard columns(text) > limit else { return text }
    guard limit > 0 else { return "" }
    var (used, shown) = (0, "")
    for character in text {
      used += columns(character)
      guard used < limit else { break }
      shown.append(character)
    }
    return shown + "…"
  }

  /// Wraps a text at blanks into lines of `limit` columns; text beyond the last line is cut.
  package static func wrapped(_ text: String, columns limit: Int, lines maxLines: Int) -> [String] {
    var lines: [String] = []
    var rest = text[...]
    while lines.count + 1 < maxLines, columns(String(rest)) > limit {
      var (used, end, blank) = (0, rest.startIndex, rest.startIndex)
      while end < rest.endIndex, used + columns(rest[end]) <= limit {
        used += columns(rest[end])
        if rest[end] == " " { blank = end }
        end = rest.index(after: end)
      }
      // Break here if the line is followed by a blank.
      if end < rest.endIndex, rest[end] == " " { blank = end }
      guard blank > rest.startIndex else { break }
      lines.append(String(rest[..<blank]))
      rest = rest[blank...].drop { $0 == " " }
    }
    return lines + [cut(String(rest), columns: limit)]
  }

  /// Returns 2 for the blocks of East Asian scripts and pictographs, otherwise 1.
  private static func columns(_ character: Character) -> Int {
    character.unicodeScalars.contains { scalar in
      switch scalar.value {
      case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE0F, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x1F1E6...0x1F1FF, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
        true
      default: scalar.properties.isEmojiPresentation
      }
    } ? 2 : 1
  }
}
