// SPDX-License-Identifier: Apache-2.0

import Pipeline
import Plugins
import Positioning
import Receivers

/// The live view's section for the server and the receivers, or the reason for a missing receiver.
struct WatchSources: WatchSection {
  /// The number of seconds for which a failure is shown.
  private static let failureSeconds = 60.0

  let state: WatchState
  let now: MonotonicTime

  var rows: [WatchRow] {
    var rows: [WatchRow] = []
    if let server = state.server {
      rows.append(
        WatchRow(
          rank: .detail, label: "Server", age: age(server.at), text: Text.server(server.value))
      )
    }
    let entries = state.receivers.entries
    if entries.isEmpty, case .lost(let loss) = state.positionStatus {
      // A known reason replaces the general advice.
      rows.append(
        WatchRow(
          rank: .subject, label: "Receiver", age: age(loss.at),
          text: loss.value.detail ?? "\(state.source): \(loss.value)", tone: .bad))
    } else if entries.isEmpty, state.isRefused || state.isUndecided {
      // The daemon names receivers only to authorized users.
      rows.append(WatchRow(rank: .subject, label: "Receiver", text: "hidden"))
    } else if entries.isEmpty {
      rows += [
        WatchRow(
          rank: .subject, label: "Receiver", age: age(state.started),
          text: "no receiver yet; waiting for \(state.source)", tone: .bad),
        WatchRow(
          rank: .detail, text: "check that it is plugged in and on; see: fixcast doctor",
          tone: .bad),
      ]
    }
    // Lists present receivers before lost receivers.
    for entry in entries.filter({ $0.loss == nil }) + entries.filter({ $0.loss != nil }) {
      var text = Text.receiver(entry.info)
      if let loss = entry.loss { text = "lost: \(entry.info.name): \(loss)" }
      rows.append(
        WatchRow(
          rank: rows.isEmpty ? .subject : .motion, label: "Receiver", age: age(entry.since),
          text: text, tone: entry.loss == nil ? .plain : .bad))
    }
    return rows + linesRows
  }

  /// The row for the received lines, until there is a position or while many lines are bad.
  private var linesRows: [WatchRow] {
    let lines = state.received
    guard lines.bytes > 0, state.location == nil || lines.hasManyBadLines else { return [] }
    return [
      WatchRow(
        rank: .detail, label: "Received", text: lines.text,
        tone: lines.hasManyBadLines ? .bad : .plain)
    ]
  }

  /// The row for the newest failure of a component other than the weather, while it is recent.
  var failureRows: [WatchRow] {
    guard let failure = state.failure, now.seconds(since: failure.at) < Self.failureSeconds else {
      return []
    }
    return [
      WatchRow(
        rank: .detail, label: "Failure", age: age(failure.at),
        text: "\(failure.value.source): \(failure.value.message)", tone: .bad)
    ]
  }
}
