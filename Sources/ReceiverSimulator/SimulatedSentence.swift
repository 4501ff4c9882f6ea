// SPDX-License-Identifier: Apache-2.0

import Positioning

/// The sentences of a simulated receiver, in sending order and in the format of NMEA 0183 4.11.
package enum SimulatedSentence: String, CaseIterable, Hashable, Sendable {
  /// Time and date; sent once per second.
  case zda = "ZDA"
  /// Position from all systems combined.
  case gns = "GNS"
  /// Position, height and quality.
  case gga = "GGA"
  /// Satellites used, one sentence per system.
  case gsa = "GSA"
  /// Satellites in view, by system; sent once per second.
  case gsv = "GSV"
  /// Course and speed.
  case vtg = "VTG"
  /// Standard deviations.
  case gst = "GST"
  /// Expected errors.
  case gbs = "GBS"
  /// Position and time.
  case gll = "GLL"
  /// Recommended minimum; ends each epoch.
  case rmc = "RMC"

  private typealias Writer = SentenceWriter
  private static let knotsPerMeterPerSecond = 3600.0 / 1852
  /// The systems with the number of their tracked signal (NMEA 4.11 table 20).
  private static let systems: [(SatelliteID.System, signal: String)] =
    [(.gps, "1"), (.glonass, "1"), (.galileo, "7")]

  /// Whether the sentence is sent only with epochs on a whole second.
  var isOncePerSecond: Bool { self == .zda || self == .gsv }

  /// Returns the sentences for a solution, each as a list of fields.
  func fields(_ solution: SimulatedSolution) -> [[String]] {
    let time = Writer.time(solution.time.timeOfDay, places: solution.timePlaces)
    let place = Writer.place(solution.coordinate)
    let date = solution.time.date.civil
    let dilution = solution.dilution
    let used = Writer.digits(solution.satellites.count(where: \.isUsed), width: 2)
    let horizontal = Writer.fixed(dilution?.horizontal, 2)
    let altitude = Writer.fixed(solution.altitude, 2)
    let separation = Writer.fixed(solution.geoidSeparation, 1)
    let knots = Writer.fixed(solution.speed * Self.knotsPerMeterPerSecond, 3)
    let course = Writer.course(solution.course)
    switch self {
    case .zda:
      let parts = [(date.day, 2), (date.month, 2), (date.year, 4)]
      return [
        ["GNZDA", time] + parts.map { Writer.digits($0, width: $1) } + ["00", "00"]
      ]
    case .gns:
      return [
        ["GNGNS", time] + place
          + ["AAA", used, horizontal, altitude, separation, "", "", "V"]
      ]
    case .gga:
      return [
        ["GNGGA", time] + place
          + ["1", used, horizontal, altitude, "M", separation, "M", "", ""]
      ]
    case .gsa: return Self.systems.map { Self.gsa(solution, $0.0) }
    case .gsv:
      return Self.systems.flatMap { Self.gsv(solution, $0.0, signal: $0.signal) }
    case .vtg:
      let kilometersPerHour = Writer.fixed(solution.speed * 3.6, 3)
      return [["GNVTG", course, "T", "", "M", knots, "N", kilometersPerHour, "K", "A"]]
    case .gst:
      let axes = dilution.map { [max($0.east, $0.north), min($0.east, $0.north)] } ?? []
      let ellipse = axes.map { Writer.fixed($0 * solution.rangeError, 2) }
      return [
        ["GNGST", time, Writer.fixed(solution.rangeError, 2)]
          // The longer axis points north.
          + (ellipse.isEmpty ? ["", "", ""] : ellipse + ["0.0"])
          + Self.errors(solution, places: 2)
      ]
    case .gbs:
      // No satellite is faulty, so the six fields about a faulty satellite are empty.
      return [
        ["GNGBS", time] + Self.errors(solution, places: 1) + Array(repeating: "", count: 6)
      ]
    case .gll: return [["GNGLL"] + place + [time, "A", "A"]]
    case .rmc:
      let day = Writer.digits(date.day * 10_000 + date.month * 100 + date.year % 100, width: 6)
      return [["GNRMC", time, "A"] + place + [knots, course, day, "", "", "A", "V"]]
    }
  }

  private static func gsa(
    _ solution: SimulatedSolution, _ system: SatelliteID.System
  ) -> [String] {
    let used = solution.satellites.filter { $0.isUsed && $0.id.system == system }
    let dilution = solution.dilution
    return NMEAEpoch.gsa(
      talker: "GN", mode: "3", used.compactMap(\.id.nmeaNumber),
      [dilution?.position, dilution?.horizontal, dilution?.vertical],
      systemID: system.nmea?.systemID)
  }

  private static func gsv(
    _ solution: SimulatedSolution, _ system: SatelliteID.System, signal: String
  ) -> [[String]] {
    let seen = solution.satellites.filter { $0.id.system == system }
    let parts = max(1, (seen.count + 3) / 4)
    let address = (system.nmea?.talker ?? "GN") + "GSV"
    return (0..<parts).map { part in
      [address, "\(parts)", "\(part + 1)", Writer.digits(seen.count, width: 2)]
        + seen.dropFirst(part * 4).prefix(4).flatMap { satellite in
          [
            satellite.id.nmeaNumber.map { Writer.digits($0, width: 2) } ?? "",
            Writer.fixed(satellite.elevationDegrees, 0, width: 2),
            Writer.digits(Int(satellite.azimuthDegrees.rounded()) % 360, width: 3),
            Writer.fixed(satellite.signalDBHz, 0, width: 2),
          ]
        } + [signal]
    }
  }

  /// Formats the expected errors in latitude, longitude and height.
  private static func errors(_ solution: SimulatedSolution, places: Int) -> [String] {
    let dilution = solution.dilution
    return [dilution?.north, dilution?.east, dilution?.vertical].map { factor in
      Writer.fixed(factor.map { $0 * solution.rangeError }, places)
    }
  }
}
