// SPDX-License-Identifier: Apache-2.0

import Plugins
import Positioning

/// A fix as text: one value per line, with its unit; unknown values are omitted.
enum FixText {
  /// Returns the lines, each with a line ending.
  static func lines(_ fix: Fix, now: MonotonicTime) -> String {
    rows(fix, now: now).map { Text.padded($0.label, 10) + $0.text + "\n" }.joined()
  }

  private static func rows(_ fix: Fix, now: MonotonicTime) -> [(label: String, text: String)] {
    var rows: [(label: String, text: String)] = []
    func row(_ label: String, _ text: String?) { if let text { rows.append((label, text)) } }
    row("position", fix.coordinate.map { Text.coordinate($0) })
    row("fix", solution(fix))
    row(
      "within",
      fix.horizontalAccuracy?.horizontalMeters(atConfidencePercent: 95)
        .map { Text.fixed($0, 1) + " m, 95 % of the time" })
    row(
      "altitude",
      fix.altitudeMetersAboveSeaLevel.map { Text.fixed($0, 1) + " m above sea level" })
    row("speed", fix.speedMetersPerSecond.map { Text.fixed($0, 1) + " m/s" })
    row("course", fix.courseDegreesTrue.map { Text.fixed($0, 0) + "° true" })
    row("time", time(fix, now: now))
    row("source", fix.source.map { $0 + (fix.isSimulated ? " (simulated)" : "") })
    return rows
  }

  private static func solution(_ fix: Fix) -> String {
    let dimensions =
      switch fix.mode {
      case .none: "none"
      case .twoDimensional: "2D"
      case .threeDimensional: "3D"
      }
    return dimensions + (fix.satellitesUsed.map { ", \($0) satellites" } ?? "")
  }

  private static func time(_ fix: Fix, now: MonotonicTime) -> String? {
    // A fix of reduced accuracy has a coarse time and no age.
    guard let receivedAt = fix.receivedAt else { return fix.time.map { Text.coarse($0) } }
    let age = Text.fixed(now.seconds(since: receivedAt), 1) + " s ago"
    return [fix.time.map { Text.time($0) }, age].compactMap { $0 }.joined(separator: ", ")
  }
}
