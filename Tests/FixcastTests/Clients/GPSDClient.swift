// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Positioning
import Testing

/// An unmodified program or library that reads positions from gpsd.
enum GPSDClient: String, CaseIterable, CustomTestStringConvertible {
  case gpspipeJSON = "gpspipe -w"
  case gpspipeNMEA = "gpspipe -r"
  case cgps
  case gpsmon
  case gpxlogger
  case gpscsv
  case pythonGPS = "python3-gps"
  case gps3
  case gpsdPy3 = "gpsd-py3"
  case gpsdclient

  var testDescription: String { rawValue }

  /// Whether all programs and libraries are installed.
  static let areInstalled = allCases.allSatisfy { access($0.command(port: 0)[0], X_OK) == 0 }

  /// Whether the program draws on a terminal.
  var needsTerminal: Bool { self == .cgps || self == .gpsmon }

  /// Returns the command line that reads from a server on a loopback port.
  func command(port: UInt16) -> [String] {
    let server = "127.0.0.1:\(port)"
    func python(_ interpreter: String, _ script: String) -> [String] {
      [interpreter, "-u", "-c", script, "127.0.0.1", "\(port)"]
    }
    return switch self {
    case .gpspipeJSON: ["/usr/bin/gpspipe", "-w", server]
    case .gpspipeNMEA: ["/usr/bin/gpspipe", "-r", server]
    case .cgps: ["/usr/bin/cgps", server]
    case .gpsmon: ["/usr/bin/gpsmon", server]
    // With -r, the program does not end if it gets nothing for 5 seconds.
    case .gpxlogger: ["/usr/bin/gpxlogger", "-r", "-i", "1", server]
    // The interpreter is named, because only it takes the option for unbuffered output.
    case .gpscsv: ["/usr/bin/python3", "-u", "/usr/bin/gpscsv", "-f", "lat,lon", server]
    case .pythonGPS: python("/usr/bin/python3", PythonClients.pythonGPS)
    case .gps3: python(PythonClients.interpreter, PythonClients.gps3)
    case .gpsdPy3: python(PythonClients.interpreter, PythonClients.gpsdPy3)
    case .gpsdclient: python(PythonClients.interpreter, PythonClients.gpsdclient)
    }
  }

  /// Returns all places that the program has shown, in its own notation.
  ///
  /// Each pattern ends with the character after the longitude, so that a number whose last digits
  /// have not been read yet does not match.
  func places(in output: String) -> [Coordinate] {
    switch self {
    case .gpspipeJSON:
      Self.decimal(output.matches(of: /"lat":(-?\d+\.\d+),"lon":(-?\d+\.\d+)[,}]/).map(\.output))
    case .gpspipeNMEA:
      Self.nautical(
        output.matches(of: /GGA,[\d.]+,(\d\d)(\d\d\.\d+),N,(\d{3})(\d\d\.\d+),E/).map(\.output))
    case .cgps:
      Self.decimal(output.matches(of: /(\d+\.\d+) N[^.]{1,40} (\d+\.\d+) E/).map(\.output))
    case .gpsmon:
      // The panel with the content of the last RMC sentence.
      Self.nautical(
        output.matches(of: /(\d\d)(\d\d\.\d+) N +(\d{3})(\d\d\.\d+) E/).map(\.output))
    case .gpxlogger:
      Self.decimal(
        output.matches(of: /<trkpt lat="(-?[\d.]+|nan)" lon="(-?[\d.]+|nan)"/).map(\.output))
    case .gpscsv:
      Self.decimal(output.matches(of: /\n(-?\d+\.\d+),(-?\d+\.\d+)\r?\n/).map(\.output))
    case .pythonGPS, .gps3, .gpsdPy3, .gpsdclient:
      Self.decimal(output.matches(of: /place (-?\d+\.\d+) (-?\d+\.\d+)\n/).map(\.output))
    }
  }

  private static func decimal(_ matches: [(Substring, Substring, Substring)]) -> [Coordinate] {
    matches.compactMap { _, latitude, longitude in
      guard let latitude = Double(latitude), let longitude = Double(longitude) else { return nil }
      return Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
    }
  }

  private static func nautical(
    _ matches: [(Substring, Substring, Substring, Substring, Substring)]
  ) -> [Coordinate] {
    matches.compactMap { _, latitude, latitudeMinutes, longitude, longitudeMinutes in
      guard let latitude = Double(latitude), let latitudeMinutes = Double(latitudeMinutes),
        let longitude = Double(longitude), let longitudeMinutes = Double(longitudeMinutes)
      else { return nil }
      return Coordinate(
        latitudeDegrees: latitude + latitudeMinutes / 60,
        longitudeDegrees: longitude + longitudeMinutes / 60)
    }
  }
}
