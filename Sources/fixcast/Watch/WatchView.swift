// SPDX-License-Identifier: Apache-2.0

import Plugins
import Positioning

/// The live view as lines, for a state, a time and a terminal size.
///
/// A terminal of at least 140 columns has the satellites in a second column.
struct WatchView: Equatable, Sendable {
  /// The lines of the screen.
  struct Screen: Equatable, Sendable {
    var lines: [String]
    /// Whether the lines contain a sky plot.
    var showsPlot: Bool
  }

  /// The widths from which the satellites have their own column, and of the first column then.
  private static let (wideColumns, minLeftColumns) = (140, 80)
  /// The width from which the forecast is shown.
  private static let forecastColumns = 80
  /// The largest plot that fits beside the labels' column.
  private static let labelRadius = 5

  /// The width of the terminal.
  var columns: Int
  /// The height of the terminal.
  var rows: Int
  let style: TextStyle
  /// The user's choices.
  var display: WatchDisplay

  init(columns: Int, rows: Int, usesColor: Bool, display: WatchDisplay = WatchDisplay()) {
    self.columns = columns
    self.rows = rows
    self.display = display
    style = TextStyle(usesColor: usesColor)
  }

  /// Returns the lines of a state.
  ///
  /// There are at most as many lines as the terminal has rows, and no line is wider than the
  /// terminal. Lines contain no control characters except, if colours are on, colour sequences.
  ///
  /// `systemTime` is the time of the system clock, for the warning that it is wrong; `nil` for no
  /// warning.
  func lines(
    _ state: WatchState, now: MonotonicTime, systemTime: UTCTime? = nil
  ) -> [String] {
    screen(state, now: now, systemTime: systemTime).lines
  }

  /// Returns the lines of a state, and whether they contain a sky plot.
  func screen(
    _ state: WatchState, now: MonotonicTime, systemTime: UTCTime? = nil
  ) -> Screen {
    var state = state
    if let units = display.units { state.format.units = units }
    let clock = clockRows(state, now: now, systemTime: systemTime)
    let sky = WatchSky(state: state, now: now)
    let satellites = SkySatellite.all(in: sky.currentSky)
    var screen =
      columns >= Self.wideColumns
      ? wide(state, now, sky.rows, satellites, clock)
      : narrow(state, now, sky.rows, satellites, clock)
    screen.lines = Array(screen.lines.prefix(max(rows, 0)))
    return screen
  }

  /// Returns the lines with the satellites between the position and the network path.
  private func narrow(
    _ state: WatchState, _ now: MonotonicTime, _ sky: [WatchRow], _ satellites: [SkySatellite],
    _ clock: [WatchRow]
  ) -> Screen {
    let above = ([title(state), Self.blank] + top(state, now) + [Self.blank] + sky).map { row in
      var row = row
      row.isAboveSatellites = true
      return row
    }
    let below =
      notice(satellites) + [Self.blank] + bottom(state, now, clock)
    var fit = WatchFit(above + below, columns: columns, style: style)
    let table = SatelliteArea(satellites, columns: columns, radius: nil)
    if display.skyPlot == .shown, canPlot(satellites) {
      fit.remove(toFit: rows - SkyPlot.rows(radius: SkyPlot.radii.lowerBound))
    } else {
      fit.removeBlanks(toFit: rows - table.wantedLines)
      fit.remove(toFit: rows)
    }
    let room = max(rows - fit.lineCount, 0)
    let isNarrow = columns < WatchRow.narrowColumns
    let mayPlot = display.skyPlot == .shown || display.skyPlot == .automatic && !isNarrow
    var radius: Int?
    if mayPlot, canPlot(satellites) {
      let maxRadius = isNarrow ? SkyPlot.radii.lowerBound : Self.labelRadius
      radius = SkyPlot.radius(columns: SkyPlot.columns(radius: maxRadius), rows: room)
    }
    let area = SatelliteArea(satellites, columns: columns, radius: radius).lines(limit: room)
    if columns >= Self.forecastColumns {
      let forecast = WatchForecast(state: state, now: now, maxHours: 6)
      fit.append(forecast.rows, toFit: rows - area.count)
    }
    return Screen(
      lines: fit.rows.filter(\.isAboveSatellites).flatMap(fit.lines) + area
        + fit.rows.filter { !$0.isAboveSatellites }.flatMap(fit.lines),
      showsPlot: radius != nil)
  }

  /// Returns the lines with the satellites in a second column.
  private func wide(
    _ state: WatchState, _ now: MonotonicTime, _ sky: [WatchRow], _ satellites: [SkySatellite],
    _ clock: [WatchRow]
  ) -> Screen {
    let leftColumns = max(Self.minLeftColumns, columns / 2)
    let rightColumns = columns - leftColumns - 2
    let head = WatchFit([title(state)], columns: columns, style: style)
    let titleLines = rows > 4 ? head.rows.flatMap(head.lines) + [""] : []
    let height = rows - titleLines.count
    var left = WatchFit(
      top(state, now) + [Self.blank] + bottom(state, now, clock), columns: leftColumns, style: style
    )
    left.remove(toFit: height)
    let forecast = WatchForecast(state: state, now: now, maxHours: 12)
    left.append(forecast.rows, toFit: height)

    var right = WatchFit(sky + notice(satellites), columns: rightColumns, style: style)
    right.remove(toFit: height)
    let room = max(height - right.lineCount - 1, 0)
    let radius =
      display.skyPlot != .hidden && canPlot(satellites)
      ? SkyPlot.radius(columns: rightColumns / 2, rows: room) : nil
    let area = SatelliteArea(satellites, columns: rightColumns, radius: radius)
    let areaLines = area.lines(limit: room)
    let rightLines =
      right.rows.flatMap(right.lines) + (areaLines.isEmpty ? [] : [""] + areaLines)
    let leftLines = left.rows.flatMap(left.lines)
    let lines = (0..<max(leftLines.count, rightLines.count)).map { index in
      let first = index < leftLines.count ? leftLines[index] : ""
      guard index < rightLines.count, !rightLines[index].isEmpty else { return first }
      let padding = max(leftColumns + 2 - ScreenFrame.columns(of: first), 0)
      return first + String(repeating: " ", count: padding) + rightLines[index]
    }
    return Screen(lines: titleLines + lines, showsPlot: radius != nil)
  }

  private static let blank = WatchRow(rank: .blank, text: "")

  private func top(_ state: WatchState, _ now: MonotonicTime) -> [WatchRow] {
    let help = display.helpRows
    return help + (help.isEmpty ? [] : [Self.blank]) + WatchSources(state: state, now: now).rows
      + [Self.blank] + WatchFix(state: state, now: now).rows
  }

  private func bottom(
    _ state: WatchState, _ now: MonotonicTime, _ clock: [WatchRow]
  ) -> [WatchRow] {
    let sentences =
      display.showsSentences
      ? WatchSentences(state: state, now: now, limit: min(max(rows / 4, 3), 12)).rows
        + [Self.blank] : []
    return sentences + WatchPath(state: state, now: now).rows + clock + [Self.blank]
      + WatchWeather(state: state, now: now).rows
      + WatchSources(state: state, now: now).failureRows
  }

  private func canPlot(_ satellites: [SkySatellite]) -> Bool {
    rows > SkyPlot.rows(radius: SkyPlot.radii.lowerBound)
      && satellites.contains { $0.elevationDegrees != nil && $0.azimuthDegrees != nil }
  }

  /// The reason why the sky plot that the user asked for is not shown; empty if the plot is shown.
  private func notice(_ satellites: [SkySatellite]) -> [WatchRow] {
    guard display.skyPlot == .shown, !canPlot(satellites) else { return [] }
    let minRows = SkyPlot.rows(radius: SkyPlot.radii.lowerBound) + 1
    let text =
      rows < minRows
      ? "needs a window of \(minRows) rows" : "needs satellites with elevation and azimuth"
    return [WatchRow(rank: .requested, label: "Sky plot", text: text)]
  }

  private func clockRows(
    _ state: WatchState, now: MonotonicTime, systemTime: UTCTime?
  ) -> [WatchRow] {
    systemTime.flatMap { SystemClockError(system: $0, receiver: state.receiverClock, at: now) }
      .map { [WatchRow(rank: .subject, label: "Clock", text: "\($0)", tone: .bad)] } ?? []
  }

  private func title(_ state: WatchState) -> WatchRow {
    var parts = ["fixcast watch"]
    if state.isSimulated { parts.append("SIMULATED, not a real position") }
    if state.isReplayed { parts.append("RECORDED, not the current position") }
    parts.append(display.hasKeys ? "q quit, ? keys" : "Ctrl-C to stop")
    var text = parts.joined(separator: "   ")
    if Text.columns(text) > columns { text = parts.dropFirst().joined(separator: "   ") }
    return WatchRow(rank: .title, text: text, tone: .strong)
  }
}
