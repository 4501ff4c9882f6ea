// SPDX-License-Identifier: Apache-2.0

import Plugins
import Positioning

/// The satellites as a table: name, signal strength with a bar, elevation and azimuth.
struct SignalBars {
  /// The maximum number of bar lines for which blank lines are removed.
  private static let maxWantedLines = 4
  /// The widths of a name, a figure, the longest bar, the directions, and the gap between two
  /// columns.
  private static let (nameColumns, figureColumns, maxBarColumns, gapColumns) = (5, 3, 20, 3)
  private static let directionColumns = 10
  /// The strength of a full bar, in dB-Hz; receivers do not report more.
  private static let fullDBHz = 55.0

  /// The satellites, strongest first.
  private let satellites: [SkySatellite]
  /// The width of the table.
  private let columns: Int
  /// Whether any satellite has a direction.
  private let hasDirections: Bool

  /// Creates the table of satellites, strongest first, for a width in columns.
  init(_ satellites: [SkySatellite], columns: Int) {
    self.satellites = satellites
    self.columns = columns
    hasDirections = satellites.contains {
      $0.elevationDegrees != nil || $0.azimuthDegrees != nil
    }
  }

  /// The number of satellites in one line.
  private var perLine: Int { columns >= 2 * cellColumns(bar: 8) + Self.gapColumns ? 2 : 1 }

  /// The number of lines that show all satellites.
  var neededLines: Int { (satellites.count + perLine - 1) / perLine }

  /// The number of bar lines for which blank lines are removed.
  var wantedLines: Int { min(neededLines, Self.maxWantedLines) }

  /// Returns the strongest satellites that fit, ordered by name so that the lines do not move.
  ///
  /// If not all satellites fit, the last cell is the number of the others. If there is room, the
  /// first line is a heading.
  func lines(limit: Int) -> [String] {
    let room = limit * perLine
    let isCut = satellites.count > room
    // A number alone would only repeat the row of the sky.
    guard limit > 0, !satellites.isEmpty, !isCut || room > 1 else { return [] }
    let shown = satellites.prefix(isCut ? room - 1 : room).sorted(by: SkySatellite.precedes)
    let width = (columns - (perLine - 1) * Self.gapColumns) / perLine
    let barColumns = min(max(width - cellColumns(bar: 0), 1), Self.maxBarColumns)
    let cells =
      shown.map { cell($0, barColumns) }
      + (isCut ? ["+\(satellites.count - shown.count) more"] : [])
    let count = (cells.count + perLine - 1) / perLine
    let gap = String(repeating: " ", count: Self.gapColumns)
    let lines = (0..<count).map { line in
      // The cells fill the first column, then the second.
      stride(from: line, to: cells.count, by: count).map { cells[$0] }.joined(separator: gap)
    }
    guard hasDirections, count < limit else { return lines }
    let heading =
      Text.padded("sat", Self.nameColumns)
      + Text.padded("dB-Hz", Self.figureColumns + barColumns) + "elev  azim"
    return [Array(repeating: heading, count: min(perLine, cells.count)).joined(separator: gap)]
      + lines
  }

  private func cell(_ satellite: SkySatellite, _ columns: Int) -> String {
    let name = Text.padded(satellite.name, Self.nameColumns)
    let bar: String
    if let signal = satellite.signalDBHz {
      let part = min(max(signal / Self.fullDBHz, 0), 1)
      let filled = max(Int((part * Double(columns)).rounded()), 1)
      bar =
        Text.fixed(signal, 0, width: Self.figureColumns - 1) + " "
        + Text.padded(String(repeating: satellite.isUsed ? "█" : "░", count: filled), columns)
    } else {
      bar = Text.padded(" - ", Self.figureColumns + columns)
    }
    guard hasDirections else { return name + bar }
    return name + bar + degrees(satellite.elevationDegrees, 4)
      + degrees(satellite.azimuthDegrees, 6)
  }

  private func degrees(_ value: Double?, _ width: Int) -> String {
    Text.padded(value.map { Text.fixed($0, 0) + "°" } ?? "-", width, right: true)
  }

  private func cellColumns(bar: Int) -> Int {
    Self.nameColumns + Self.figureColumns + bar + (hasDirections ? Self.directionColumns : 0)
  }
}
