// SPDX-License-Identifier: Apache-2.0

import Positioning
internal import Receivers
internal import SystemSupport

/// The sentences of a solution, in the forms of NMEA 0183 4.11.
extension SentenceWriter {
  private static let knotsPerMeterPerSecond = 3600.0 / 1852
  /// Five places of a minute are two centimetres, and keep every sentence within 82 characters.
  private static let minutePlaces = 5
  /// Systems with talker, system id (table 19) and the signal that is tracked (table 20).
  private static let systems: [(SatelliteID.System, talker: String, id: String, signal: String)] =
    [(.gps, "GP", "1", "1"), (.glonass, "GL", "2", "1"), (.galileo, "GA", "3", "7")]

  mutating func announce(_ text: String) {
    begin("GNTXT")
    for part in ["01", "01", "02", text] { field(part) }
    end()
  }

  mutating func write(
    _ solution: SimulatedSolution, sentences: Set<SimulatedSentence>, isWholeSecond: Bool
  ) {
    for sentence in SimulatedSentence.allCases where sentences.contains(sentence) {
      switch sentence {
      case .zda: if isWholeSecond { zda(solution) }
      case .gns: gns(solution)
      case .gga: gga(solution)
      case .gsa: gsa(solution)
      case .gsv: if isWholeSecond { gsv(solution) }
      case .vtg: vtg(solution)
      case .gst: gst(solution)
      case .gbs: gbs(solution)
      case .gll: gll(solution)
      case .rmc: rmc(solution)
      }
    }
  }

  private mutating func time(_ solution: SimulatedSolution) {
    field(timeOfDay: solution.time.timeOfDay, places: solution.timePlaces)
  }

  private mutating func zda(_ solution: SimulatedSolution) {
    let date = solution.time.date.civil
    begin("GNZDA")
    time(solution)
    field(date.day, width: 2)
    field(date.month, width: 2)
    field(date.year, width: 4)
    field("00")
    field("00")
    end()
  }

  private mutating func gns(_ solution: SimulatedSolution) {
    begin("GNGNS")
    time(solution)
    field(solution.coordinate, minutePlaces: Self.minutePlaces)
    field("AAA")
    field(solution.satellites.count(where: \.isUsed), width: 2)
    field(solution.dilution?.horizontal, places: 2)
    field(solution.altitude, places: 2)
    field(solution.geoidSeparation, places: 1)
    field()
    field()
    field("V")
    end()
  }

  private mutating func gga(_ solution: SimulatedSolution) {
    begin("GNGGA")
    time(solution)
    field(solution.coordinate, minutePlaces: Self.minutePlaces)
    field("1")
    field(solution.satellites.count(where: \.isUsed), width: 2)
    field(solution.dilution?.horizontal, places: 2)
    field(solution.altitude, places: 2)
    field("M")
    field(solution.geoidSeparation, places: 1)
    field("M")
    field()
    field()
    end()
  }

  private mutating func gsa(_ solution: SimulatedSolution) {
    for system in Self.systems {
      let used = solution.satellites.filter { $0.isUsed && $0.id.system == system.0 }
      begin("GNGSA")
      field("A")
      field("3")
      for slot in 0..<12 {
        if slot < used.count { field(Self.number(used[slot].id), width: 2) } else { field() }
      }
      field(solution.dilution?.position, places: 2)
      field(solution.dilution?.horizontal, places: 2)
      field(solution.dilution?.vertical, places: 2)
      field(system.id)
      end()
    }
  }

  private mutating func gsv(_ solution: SimulatedSolution) {
    for system in Self.systems {
      let seen = solution.satellites.filter { $0.id.system == system.0 }
      let parts = max(1, (seen.count + 3) / 4)
      for part in 0..<parts {
        begin(system.talker + "GSV")
        field(parts)
        field(part + 1)
        field(seen.count, width: 2)
        for satellite in seen.dropFirst(part * 4).prefix(4) {
          field(Self.number(satellite.id), width: 2)
          field(Int(satellite.elevationDegrees.rounded()), width: 2)
          field(Int(satellite.azimuthDegrees.rounded()) % 360, width: 3)
          field(satellite.signalDBHz, places: 0, width: 2)
        }
        field(system.signal)
        end()
      }
    }
  }

  private mutating func vtg(_ solution: SimulatedSolution) {
    begin("GNVTG")
    field(courseDegrees: solution.course)
    field("T")
    field()
    field("M")
    field(solution.speed * Self.knotsPerMeterPerSecond, places: 3)
    field("N")
    field(solution.speed * 3.6, places: 3)
    field("K")
    field("A")
    end()
  }

  private mutating func gst(_ solution: SimulatedSolution) {
    let ellipse = solution.errorEllipse
    begin("GNGST")
    time(solution)
    field(solution.rangeError, places: 2)
    field(ellipse?.major, places: 2)
    field(ellipse?.minor, places: 2)
    field(ellipse?.orientation, places: 1)
    errors(solution, places: 2)
    end()
  }

  private mutating func gbs(_ solution: SimulatedSolution) {
    begin("GNGBS")
    time(solution)
    errors(solution, places: 1)
    // No satellite has failed: its number, chance, bias and deviation, system and signal.
    for _ in 0..<6 { field() }
    end()
  }

  /// Expected errors in latitude, longitude and height.
  private mutating func errors(_ solution: SimulatedSolution, places: Int) {
    let dilution = solution.dilution
    for factor in [dilution?.north, dilution?.east, dilution?.vertical] {
      field(factor.map { $0 * solution.rangeError }, places: places)
    }
  }

  private mutating func gll(_ solution: SimulatedSolution) {
    begin("GNGLL")
    field(solution.coordinate, minutePlaces: Self.minutePlaces)
    time(solution)
    field("A")
    field("A")
    end()
  }

  private mutating func rmc(_ solution: SimulatedSolution) {
    let date = solution.time.date.civil
    begin("GNRMC")
    time(solution)
    field("A")
    field(solution.coordinate, minutePlaces: Self.minutePlaces)
    field(solution.speed * Self.knotsPerMeterPerSecond, places: 3)
    field(courseDegrees: solution.course)
    field(date.day * 10_000 + date.month * 100 + date.year % 100, width: 6)
    field()
    field()
    field("A")
    field("V")
    end()
  }

  /// GLONASS slots are numbered from 65; the others as they are.
  private static func number(_ id: SatelliteID) -> Int {
    Int(id.number) + (id.system == .glonass ? 64 : 0)
  }
}
