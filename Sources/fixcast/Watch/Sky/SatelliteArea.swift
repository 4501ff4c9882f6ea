// SPDX-License-Identifier: Apache-2.0

import Plugins

/// The satellites as lines: the sky plot on the left, if there is one, and the table on the right.
struct SatelliteArea {
  /// The satellites, strongest first.
  private let satellites: [SkySatellite]
  private let radius: Int?
  private let columns: Int
  /// The width before the table.
  private let indent: Int
  private let bars: SignalBars

  /// Creates the lines for a width; without a `radius`, there is no sky plot.
  init(_ satellites: [SkySatellite], columns: Int, radius: Int?) {
    self.satellites = satellites
    self.radius = radius
    self.columns = columns
    let margin = columns - WatchRow.textColumns(columns)
    indent = max(margin, radius.map { SkyPlot.columns(radius: $0) + 1 } ?? 0)
    bars = SignalBars(satellites, columns: columns - indent)
  }

  /// The number of lines for which blank lines are removed.
  var wantedLines: Int { bars.wantedLines }

  /// Returns at most `limit` lines.
  func lines(limit: Int) -> [String] {
    let plot = radius.map { SkyPlot(satellites, radius: $0).lines } ?? []
    let table = bars.lines(limit: limit)
    return (0..<min(max(plot.count, table.count), max(limit, 0))).map { index in
      let left = index < plot.count ? plot[index] : ""
      let right = index < table.count ? table[index] : ""
      var line = Text.cut(Text.padded(left, indent) + right, columns: columns)
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
