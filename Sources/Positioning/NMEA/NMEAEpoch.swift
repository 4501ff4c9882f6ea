// SPDX-License-Identifier: Apache-2.0

/// Writes the NMEA 0183 sentences of one epoch: GGA, RMC, GSA and VTG.
///
/// The sentences have the fields of NMEA 2.3 and the satellite numbers of 4.11, and at most 82
/// characters. An unknown value is an empty field, except an unknown horizontal dilution, which is
/// 99.99 as from receivers: GeoClue takes an empty field for an exact position.
package struct NMEAEpoch {
  private typealias Writer = SentenceWriter

  /// The maximum number of satellites in a GSA.
  private static let maxSatellites = 12
  private static let knotsPerMeterPerSecond = 3600.0 / 1852

  private let fix: Fix
  /// The position; `nil` if the fix has no solution.
  private let coordinate: Coordinate?
  /// The satellites used, by system id.
  private let usedNumbers: [String: Set<Int>]
  /// `GN` for several systems, the talker of a single system, or `GP` if no system is known.
  private let talker: String
  private let time: String

  private init(_ fix: Fix, _ sky: SkyView?) {
    self.fix = fix
    coordinate = fix.mode > .none ? fix.coordinate : nil
    var numbers: [String: Set<Int>] = [:]
    var talkers: Set<String> = []
    if coordinate != nil, let sky {
      for satellite in sky.satellites where satellite.isUsed {
        guard let system = satellite.id.system.nmea, let number = satellite.id.nmeaNumber else {
          continue
        }
        numbers[system.systemID, default: []].insert(number)
        talkers.insert(system.talker)
      }
    }
    usedNumbers = numbers
    talker = talkers.count > 1 ? "GN" : talkers.first ?? "GP"
    time =
      fix.time.map {
        Writer.time($0.timeOfDay, places: $0.nanosecond / 1_000_000 % 10 == 0 ? 2 : 3)
      } ?? ""
  }

  /// Writes the sentences of a fix.
  ///
  /// - Parameters:
  ///   - fix: The fix. A fix without a position gives sentences that state so.
  ///   - sky: The newest sky of the same receiver, for talker and satellites; `nil` if unknown.
  /// - Returns: The sentences, each with checksum and line ending.
  package static func sentences(of fix: Fix, sky: SkyView?) -> [UInt8] {
    let epoch = NMEAEpoch(fix, sky)
    var writer = Writer()
    writer.write(epoch.gga)
    writer.write(epoch.rmc)
    for fields in epoch.gsa { writer.write(fields) }
    writer.write(epoch.vtg)
    return writer.bytes
  }

  private var gga: [String] {
    let dilution = Writer.fitted(fix.dilution.horizontal, 2, within: 5)
    let used = Writer.digits(min(max(fix.satellitesUsed ?? 0, 0), 99), width: 2)
    let quality = [fix.satellitesUsed == nil ? "" : used, dilution.isEmpty ? "99.99" : dilution]
    guard let coordinate else {
      return [talker + "GGA", time, "", "", "", "", "0"] + quality + ["", "", "", "", "", ""]
    }
    let altitude = Writer.fitted(fix.altitudeMetersAboveSeaLevel, 2, within: 8)
    let separation = Writer.fitted(fix.geoidSeparationMeters, 2, within: 6)
    let fields =
      [talker + "GGA", time] + Writer.place(coordinate) + [method.quality] + quality
      + [altitude, "M", separation, "M"]
    // With the longest values of the other fields, the age of the correction does not fit.
    let free = Writer.maxSentenceBytes - Writer.length(fields + ["", ""])
    return fields + [Writer.fitted(fix.correctionAgeSeconds, 1, within: min(free, 5)), ""]
  }

  private var rmc: [String] {
    let date = fix.time?.date.civil
    let day = date.map {
      Writer.digits($0.day * 10_000 + $0.month * 100 + $0.year % 100, width: 6)
    }
    let variation = fix.magneticVariationDegrees.map {
      [Writer.fitted(abs($0), 1, within: 5), $0 < 0 ? "W" : "E"]
    }
    return [talker + "RMC", time, coordinate == nil ? "V" : "A"]
      + (coordinate.map(Writer.place) ?? ["", "", "", ""]) + [knots, course, day ?? ""]
      + (variation ?? ["", ""]) + [method.indicator]
  }

  private var gsa: [[String]] {
    let mode = Writer.digits(Int(fix.mode.rawValue))
    let dilution = [fix.dilution.position, fix.dilution.horizontal, fix.dilution.vertical]
    guard !usedNumbers.isEmpty else {
      return [Self.gsa(talker: talker, mode: mode, [], dilution)]
    }
    return usedNumbers.sorted { $0.key < $1.key }.map { systemID, numbers in
      Self.gsa(talker: talker, mode: mode, numbers.sorted(), dilution, systemID: systemID)
    }
  }

  private var vtg: [String] {
    guard coordinate != nil else {
      return [talker + "VTG", "", "", "", "", "", "", "", "", method.indicator]
    }
    let kilometersPerHour = fix.speedMetersPerSecond.map { $0 * 3.6 }
    return [
      talker + "VTG", course, "T", "", "M", knots, "N",
      Writer.fitted(kilometersPerHour, 3, within: 7), "K", method.indicator,
    ]
  }

  private var knots: String {
    Writer.fitted(fix.speedMetersPerSecond.map { $0 * Self.knotsPerMeterPerSecond }, 3, within: 6)
  }

  private var course: String { Writer.course(fix.courseDegreesTrue) }

  /// The quality in GGA and the mode indicator in RMC and VTG.
  private var method: (quality: String, indicator: String) {
    guard coordinate != nil else { return ("0", "N") }
    if fix.isSimulated { return ("8", "S") }
    return switch fix.status {
    case .autonomous, .combined, nil: ("1", "A")
    case .differential: ("2", "D")
    case .precisePositioning: ("3", "P")
    case .rtkFixed: ("4", "R")
    case .rtkFloat: ("5", "F")
    case .deadReckoning: ("6", "E")
    case .surveyed: ("7", "M")
    case .simulated: ("8", "S")
    }
  }

  /// Formats a GSA; satellites after the first twelve are omitted.
  ///
  /// - Parameters:
  ///   - talker: The talker.
  ///   - mode: 1 without a fix, 2 or 3 dimensions.
  ///   - numbers: The NMEA numbers of the satellites used.
  ///   - dilution: The dilutions in position, horizontal and vertical.
  ///   - systemID: The system of the satellites; `nil` omits the field.
  /// - Returns: The fields of the sentence.
  package static func gsa(
    talker: String, mode: String, _ numbers: [Int], _ dilution: [Double?], systemID: String? = nil
  ) -> [String] {
    let used = numbers.prefix(maxSatellites).map { SentenceWriter.digits($0, width: 2) }
    return [talker + "GSA", "A", mode] + used
      + Array(repeating: "", count: maxSatellites - used.count)
      + dilution.map { SentenceWriter.fitted($0, 2, within: 5) }
      + (systemID.map { [$0] } ?? [])
  }
}
