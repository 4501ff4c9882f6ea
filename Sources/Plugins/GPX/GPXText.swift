// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// The text of a GPX 1.1 file, with elements in the order that the schema requires.
enum GPXText {
  /// The beginning of every file, which also identifies files written by Fixcast.
  static let header = """
    <?xml version="1.0" encoding="UTF-8"?>
    <gpx version="1.1" creator="fixcast" xmlns="http://www.topografix.com/GPX/1/1" \
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
    xsi:schemaLocation="http://www.topografix.com/GPX/1/1 http://www.topografix.com/GPX/1/1/gpx.xsd">

    """

  /// The closing tags of the segment, the track and the file.
  static let closing = "</trkseg></trk>" + endOfFile
  /// The closing tag of the file.
  static let endOfFile = "</gpx>\n"
  /// The closing tags of the segment and the track.
  static let endOfTrack = "</trkseg></trk>\n"
  /// Separates two segments of a track.
  static let nextSegment = "</trkseg><trkseg>\n"

  /// Begins a track and its first segment.
  static func track(from location: Location) -> String {
    let name = location.time.map { "fixcast " + Text.time($0) } ?? "fixcast"
    let marks = Text.marks(isSimulated: location.isSimulated, isReplayed: location.isReplayed)
    let mark = marks.isEmpty ? "" : " (\(marks.joined(separator: ", ")))"
    var text = "<trk><name>" + name + mark + "</name>"
    if location.isSimulated {
      text += "<desc>simulated, not recorded by a receiver</desc>"
    } else if location.isReplayed {
      text += "<desc>replayed from a recording</desc>"
    }
    if let source = location.source { text += "<src>\(XMLText.escaped(source))</src>" }
    return text + "<trkseg>\n"
  }

  /// Returns a point with all known values.
  static func point(_ location: Location) -> String {
    let latitude = Text.fixed(location.coordinate.latitudeDegrees, 8)
    // The schema requires a longitude below 180, so 180 is written as -180.
    let longitude = Text.fixed(location.coordinate.longitudeDegrees, 8)
    let sign = longitude == "180.00000000" ? "-" : ""
    var text = "<trkpt lat=\"\(latitude)\" lon=\"\(sign)\(longitude)\">"
    if let metres = location.altitudeMetersAboveSeaLevel {
      text += "<ele>\(Text.fixed(metres, 2))</ele>"
    }
    if let time = location.time { text += "<time>\(Self.time(time))</time>" }
    text += "<fix>\(fix(location))</fix>"
    if let count = location.satellitesUsed, count >= 0 { text += "<sat>\(count)</sat>" }
    func decimal(_ name: String, _ value: Double?) {
      guard let value, value.isFinite else { return }
      text += "<\(name)>\(Text.fixed(value, 2))</\(name)>"
    }
    decimal("hdop", location.dilution.horizontal)
    decimal("vdop", location.dilution.vertical)
    decimal("pdop", location.dilution.position)
    decimal("ageofdgpsdata", location.correctionAgeSeconds)
    return text + "</trkpt>\n"
  }

  /// Returns the UTC time as an `xsd:dateTime`, which has no leap seconds.
  static func time(_ time: UTCTime) -> String {
    let (year, month, day) = time.date.civil
    let clock = time.timeOfDay
    func digits(_ number: some BinaryInteger, _ count: Int) -> String {
      let text = "\(number)"
      return String(repeating: "0", count: max(count - text.count, 0)) + text
    }
    var text = digits(year, 4) + "-" + digits(month, 2) + "-" + digits(day, 2) + "T"
    text += digits(clock.hour, 2) + ":" + digits(clock.minute, 2) + ":"
    text += digits(min(clock.second, 59), 2)
    let milliseconds = time.nanosecond / 1_000_000
    return text + (milliseconds > 0 ? "." + digits(milliseconds, 3) : "") + "Z"
  }

  private static func fix(_ location: Location) -> String {
    switch location.status {
    case .differential, .rtkFixed, .rtkFloat: "dgps"
    case .precisePositioning: "pps"
    default: location.mode == .threeDimensional ? "3d" : "2d"
    }
  }
}
