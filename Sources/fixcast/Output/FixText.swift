// SPDX-License-Identifier: Apache-2.0

import Plugins
import Positioning

/// A fix as text: one value per line, with its unit; unknown values are omitted.
enum FixText {
  /// Returns the lines, each with a line ending.
  ///
  /// The first line of a position that is not current says so.
  static func lines(
    _ fix: Fix, now: MonotonicTime, isCurrent: Bool = true, format: ValueFormat = ValueFormat()
  ) -> String {
    let warning =
      isCurrent ? [] : [(label: "note", text: "not current: the last known position")]
    return (warning + rows(fix, now: now, format))
      .map { Text.padded($0.label, 10) + $0.text + "\n" }.joined()
  }

  private static func rows(
    _ fix: Fix, now: MonotonicTime, _ format: ValueFormat
  ) -> [(label: String, text: String)] {
    var rows: [(label: String, text: String)] = []
    func row(_ label: String, _ text: String?) { if let text { rows.append((label, text)) } }
    row("position", fix.coordinate.map { Text.coordinate($0) })
    row("fix", solution(fix))
    row(
      "within",
      fix.horizontalAccuracy?.horizontalMeters(atConfidencePercent: 95)
        .map { format.height($0) + ", 95 % of the time" })
    row(
      "altitude",
      fix.altitudeMetersAboveSeaLevel.map { format.height($0) + " above sea level" })
    row("speed", fix.speedMetersPerSecond.map { format.speed($0) })
    row("course", fix.courseDegreesTrue.map { Text.fixed($0, 0) + "° true" })
    row("time", time(fix, now: now, format))
    let marks = Text.marks(isSimulated: fix.isSimulated, isReplayed: fix.isReplayed)
    row(
      "source",
      fix.source.map { $0 + (marks.isEmpty ? "" : " (\(marks.joined(separator: ", ")))") })
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

  private static func time(
    _ fix: Fix, now: MonotonicTime, _ format: ValueFormat
  ) -> String? {
    // A fix of reduced accuracy has a coarse time and no age.
    guard fix.receivedAt != nil else { return fix.time.map { format.coarse($0) } }
    let age = fix.ageSeconds(at: now).map { seconds in
      (seconds < 120 ? Text.fixed(seconds, 1) + " s" : WatchRow.age(seconds)) + " ago"
    }
    let parts = [fix.time.map { format.time($0) }, age].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
