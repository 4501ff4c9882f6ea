// SPDX-License-Identifier: Apache-2.0

import Plugins
import Positioning

/// The live view as lines, for a state, a time and a terminal size.
struct WatchView: Equatable, Sendable {
  /// The width of the terminal.
  var columns: Int
  /// The height of the terminal.
  var rows: Int
  let style: TextStyle

  /// Makes a view.
  init(columns: Int, rows: Int, usesColor: Bool) {
    self.columns = columns
    self.rows = rows
    style = TextStyle(usesColor: usesColor)
  }

  /// Returns the lines of a state.
  ///
  /// There are at most as many lines as the terminal has rows, and no line is wider than the
  /// terminal. Lines contain no control characters except, if colours are on, colour sequences.
  func lines(_ state: WatchState, now: MonotonicTime) -> [String] {
    let blank = [WatchRow(rank: .blank, text: "")]
    let sky = WatchSky(state: state, now: now)
    let bars = SignalBars(sky.present, columns: columns)
    let sources = WatchSources(state: state, now: now)
    let before =
      [title(state)] + blank + sources.rows + blank + WatchFix(state: state, now: now).rows + blank
      + sky.rows
    let after =
      blank + WatchPath(state: state, now: now).rows + blank
      + WatchWeather(state: state, now: now).rows + sources.failure
    var wanted = before.map { ($0, true) } + after.map { ($0, false) }
    func count() -> Int {
      wanted.reduce(0) { $0 + $1.0.lines(columns: columns, style: style).count }
    }
    // Removes blank lines first, then signal bars, then the least important rows.
    while count() + bars.wantedLines > rows,
      let blank = wanted.lastIndex(where: { $0.0.rank == .blank })
    {
      wanted.remove(at: blank)
    }
    while count() > rows, let least = wanted.map(\.0.rank).max(),
      let index = wanted.lastIndex(where: { $0.0.rank == least })
    {
      // The most important row is never removed, but the final `prefix` may truncate it.
      if wanted.count == 1 { break }
      wanted.remove(at: index)
    }
    let room = max(rows - count(), 0)
    func render(_ rows: [WatchRow]) -> [String] {
      rows.flatMap { $0.lines(columns: columns, style: style) }
    }
    let lines =
      render(wanted.filter(\.1).map(\.0)) + render(bars.rows(limit: room))
      + render(wanted.filter { !$0.1 }.map(\.0))
    return Array(lines.prefix(max(rows, 0)))
  }

  private func title(_ state: WatchState) -> WatchRow {
    var text = "fixcast watch"
    if state.isSimulated { text += "   SIMULATED, not a real position" }
    return WatchRow(rank: .title, text: text + "   Ctrl-C to stop", tone: .strong)
  }
}
