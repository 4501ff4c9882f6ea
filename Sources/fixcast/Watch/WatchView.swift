// SPDX-License-Identifier: Apache-2.0

import LocationServices
import Pipeline
import Plugins
import Positioning

/// A live view as lines: out of what is known, the time, and the room there is.
struct WatchView: Equatable, Sendable {
  /// After how many seconds a fix is no present one: receivers send at least one a second.
  static let oldFixSeconds = 5.0
  /// The same at reduced accuracy, where one comes every quarter of an hour.
  static let oldReducedSeconds = ReducedAccuracy.minimumSeconds + 60
  /// The same of a sky, which some receivers send with every fifth epoch only.
  static let oldSkySeconds = 10.0
  /// The same of weather, which is asked for every half hour.
  static let oldWeatherSeconds = 3600.0
  /// For how long a failure is shown.
  static let failureSeconds = 60.0

  /// The width of the terminal.
  var columns: Int
  /// The height of the terminal.
  var rows: Int
  let style: TextStyle

  /// Makes a view.
  ///
  /// - Parameters:
  ///   - columns: The width of the terminal.
  ///   - rows: The height of the terminal.
  ///   - usesColor: Whether colours are welcome.
  init(columns: Int, rows: Int, usesColor: Bool) {
    self.columns = columns
    self.rows = rows
    style = TextStyle(usesColor: usesColor)
  }

  /// The view of a state.
  ///
  /// - Parameters:
  ///   - state: What is known.
  ///   - now: The present reading of the monotonic clock, which ages count to.
  /// - Returns: At most as many lines as the terminal has, none wider than it; no control
  ///   character but the colours, where they are welcome.
  func lines(_ state: WatchState, now: MonotonicTime) -> [String] {
    let bars = SignalBars(state, view: self, now: now)
    var before = [title(state), WatchRow(rank: .blank, text: "")]
    before += receivers(state, now: now) + [WatchRow(rank: .blank, text: "")]
    before += fix(state, now: now) + [WatchRow(rank: .blank, text: "")] + sky(state, now: now)
    var after = [WatchRow(rank: .blank, text: "")] + path(state, now: now)
    after += [WatchRow(rank: .blank, text: "")] + weather(state, now: now)
    after += failure(state, now: now)
    var wanted = before.map { ($0, true) } + after.map { ($0, false) }
    func count() -> Int {
      wanted.reduce(0) { $0 + $1.0.lines(columns: columns, style: style).count }
    }
    // Blank lines go before the bars do, and the bars before what is in words.
    while count() + bars.wantedLines > rows,
      let blank = wanted.lastIndex(where: { $0.0.rank == .blank })
    {
      wanted.remove(at: blank)
    }
    while count() > rows, let least = wanted.map(\.0.rank).max(),
      let index = wanted.lastIndex(where: { $0.0.rank == least })
    {
      // What is worth most stays, cut below.
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
    return WatchRow(rank: .title, text: text + "   Ctrl-C ends", tone: .strong)
  }

  /// An age, marked where it is old.
  func age(_ since: MonotonicTime, _ now: MonotonicTime, oldAfter limit: Double? = nil) -> String {
    let seconds = now.seconds(since: since)
    let isOld = limit.map { seconds > $0 } ?? false
    return (isOld ? "old " : "") + WatchRow.age(seconds)
  }

  private func receivers(_ state: WatchState, now: MonotonicTime) -> [WatchRow] {
    var rows: [WatchRow] = []
    if let server = state.server {
      rows.append(
        WatchRow(
          rank: .detail, label: "Server", age: age(server.at, now), text: Text.server(server.value))
      )
    }
    let entries = state.receivers.entries
    if entries.isEmpty, case .lost(let loss) = state.standing {
      // What is known to be wrong, rather than a guess.
      rows.append(
        WatchRow(
          rank: .subject, label: "Receiver", age: age(loss.at, now),
          text: loss.value.detail ?? "\(state.source): \(loss.value)", tone: .bad))
    } else if entries.isEmpty {
      rows += [
        WatchRow(
          rank: .subject, label: "Receiver", age: age(state.started, now),
          text: "no receiver yet; waiting for \(state.source)", tone: .bad),
        WatchRow(
          rank: .detail, text: "is it plugged in and on? fixcast doctor says what stops it",
          tone: .bad),
      ]
    }
    // Those that are there before those that are lost.
    for entry in entries.filter({ $0.loss == nil }) + entries.filter({ $0.loss != nil }) {
      var text = Text.receiver(entry.info)
      if let loss = entry.loss { text = "lost: \(entry.info.name): \(loss)" }
      rows.append(
        WatchRow(
          rank: rows.isEmpty ? .subject : .motion, label: "Receiver", age: age(entry.since, now),
          text: text, tone: entry.loss == nil ? .plain : .bad))
    }
    return rows
  }

  private func failure(_ state: WatchState, now: MonotonicTime) -> [WatchRow] {
    guard let failure = state.failure, now.seconds(since: failure.at) < Self.failureSeconds else {
      return []
    }
    return [
      WatchRow(
        rank: .detail, label: "Failure", age: age(failure.at, now),
        text: "\(failure.value.source): \(failure.value.message)", tone: .bad)
    ]
  }
}
