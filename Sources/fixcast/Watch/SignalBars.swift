// SPDX-License-Identifier: Apache-2.0

import Plugins
import Positioning

/// Bars of the satellites' signal strengths.
struct SignalBars {
  private struct Bar {
    var id: SatelliteID
    var signal: Double
    var isUsed: Bool
  }

  /// The number of bar lines that take precedence over blank lines.
  private static let wantedLines = 4
  /// The widths of a name, a figure, the longest bar, and the gap between two columns.
  private static let (nameColumns, figureColumns, maxBarColumns, gapColumns) = (5, 3, 20, 3)
  /// The strength of a full bar, in dB-Hz; receivers do not report more.
  private static let fullDBHz = 55.0

  /// The bars, strongest first.
  private var bars: [Bar] = []
  private let columns: Int

  /// Creates the bars of a sky, or no bars for `nil`; `columns` is the width of the terminal.
  init(_ sky: SkyView?, columns: Int) {
    self.columns = WatchRow.textColumns(columns)
    guard let sky else { return }
    var strongest: [SatelliteID: Bar] = [:]
    for satellite in sky.satellites {
      guard let signal = satellite.signalToNoiseDBHz, signal > 0 else { continue }
      // If a satellite has several signals, its bar shows the strongest.
      let known = strongest[satellite.id]
      strongest[satellite.id] = Bar(
        id: satellite.id, signal: max(signal, known?.signal ?? 0),
        isUsed: satellite.isUsed || known?.isUsed == true)
    }
    bars = strongest.values.sorted {
      $0.signal == $1.signal ? Self.precedes($0.id, $1.id) : $0.signal > $1.signal
    }
  }

  /// The number of bars in one line.
  private var perLine: Int { columns >= 2 * Self.cellColumns(10) + Self.gapColumns ? 2 : 1 }

  /// The number of lines that take precedence over blank lines.
  var wantedLines: Int { min((bars.count + perLine - 1) / perLine, Self.wantedLines) }

  /// Returns the strongest bars that fit, ordered by satellite so that the bars do not move.
  func rows(limit: Int) -> [WatchRow] {
    guard limit > 0 else { return [] }
    let shown = bars.prefix(limit * perLine).sorted { Self.precedes($0.id, $1.id) }
    let width = (columns - (perLine - 1) * Self.gapColumns) / perLine
    let barColumns = min(max(width - Self.cellColumns(0), 1), Self.maxBarColumns)
    let count = (shown.count + perLine - 1) / perLine
    return (0..<count).map { line in
      // The bars fill the first column, then the second.
      let cells = stride(from: line, to: shown.count, by: count).map { cell(shown[$0], barColumns) }
      return WatchRow(
        rank: .detail, text: cells.joined(separator: String(repeating: " ", count: Self.gapColumns))
      )
    }
  }

  private func cell(_ bar: Bar, _ columns: Int) -> String {
    let part = min(max(bar.signal / Self.fullDBHz, 0), 1)
    let filled = max(Int((part * Double(columns)).rounded()), 1)
    return Text.padded(Self.name(bar.id), Self.nameColumns)
      + Text.fixed(bar.signal, 0, width: Self.figureColumns - 1) + " "
      + Text.padded(String(repeating: bar.isUsed ? "█" : "░", count: filled), columns)
  }

  private static func cellColumns(_ bar: Int) -> Int { nameColumns + figureColumns + bar }

  private static func precedes(_ left: SatelliteID, _ right: SatelliteID) -> Bool {
    (left.system.rawValue, left.number) < (right.system.rawValue, right.number)
  }

  /// The satellite's name in RINEX format: `G05`, `R12`.
  private static func name(_ id: SatelliteID) -> String {
    let system =
      switch id.system {
      case .gps: "G"
      case .sbas: "S"
      case .galileo: "E"
      case .beidou: "C"
      case .imes: "L"
      case .qzss: "J"
      case .glonass: "R"
      case .navic: "I"
      }
    return system + (id.number < 10 ? "0" : "") + "\(id.number)"
  }
}
