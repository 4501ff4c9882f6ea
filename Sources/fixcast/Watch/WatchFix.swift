// SPDX-License-Identifier: Apache-2.0

import LocationServices
import Plugins
import Positioning
import Receivers

/// The live view's section for the position: either current, or lost and with advice.
struct WatchFix: WatchSection {
  /// The age in seconds from which a fix is no longer current; receivers send at least one fix per
  /// second.
  private static let oldSeconds = 5.0
  /// The same limit for reduced accuracy, which delivers one location every 15 minutes.
  private static let oldReducedSeconds = ReducedAccuracy.minimumSeconds + 60

  let state: WatchState
  let now: MonotonicTime

  var rows: [WatchRow] {
    if state.isRefused {
      return [fixRow("", "not authorized to show the position", .bad)]
    }
    if state.isUndecided {
      let text = "not authorized yet; allow it with: \(state.allowCommand)"
      return [fixRow("", text, .bad)] + lastPositionRows()
    }
    switch state.positionStatus {
    case .waiting:
      return [
        fixRow(age(state.started), "no fix yet: no usable data from a receiver", .bad)
      ]
    case .located:
      guard let location = state.location else { return [] }
      let limit = state.isCoarse ? Self.oldReducedSeconds : Self.oldSeconds
      guard now.seconds(since: location.at) <= limit else {
        return [fixRow(age(location.at, oldAfter: 0), "lost: no data since", .bad)]
          + lastPositionRows()
      }
      return locationRows(location)
    case .noFix(let fix):
      let isSilent = now.seconds(since: fix.at) > Self.oldSeconds
      let text =
        isSilent
        ? "lost: no data since"
        : "\(explanation(since: state.noFixSince ?? fix.at, of: fix.value.source))"
      return [fixRow(age(fix.at, oldAfter: Self.oldSeconds), text, .bad)]
        + lastPositionRows()
    case .lost(let loss):
      return [fixRow(age(loss.at), "lost: \(loss.value)", .bad)]
        + lastPositionRows()
    }
  }

  private func explanation(
    since start: MonotonicTime, of source: String?
  ) -> NoFixExplanation {
    let sky = WatchSky(state: state, now: now).currentSky
    var explanation = NoFixExplanation(
      input: .nmea, reportsEpochs: true, seconds: now.seconds(since: start),
      sky: sky.map { SkySummary($0) })
    explanation.message = state.messages[source ?? state.source]?.fault(at: now)
    return explanation
  }

  private func fixRow(_ age: String, _ text: String, _ tone: TextStyle.Tone) -> WatchRow {
    WatchRow(rank: .fix, label: "Fix", age: age, text: text, tone: tone)
  }

  private func locationRows(_ newest: WatchState.Timestamped<Location>) -> [WatchRow] {
    let isCoarse = state.isCoarse
    let location = newest.value
    var head = [location.mode == .threeDimensional ? "3D" : "2D"]
    if isCoarse { head.append("reduced accuracy") }
    if let status = status(location.status) { head.append(status) }
    if let count = location.satellitesUsed { head.append("\(count) satellites") }
    head += Text.marks(isSimulated: location.isSimulated, isReplayed: location.isReplayed)
    var place = position(location)
    if let error = location.horizontalAccuracy?.horizontalMeters(atConfidencePercent: 95) {
      place += "   ± \(state.format.height(error)) (95 %)"
    }
    var motion: [String] = []
    if let altitude = location.altitudeMetersAboveSeaLevel {
      motion.append("altitude \(state.format.height(altitude))")
    }
    if let speed = location.speedMetersPerSecond {
      motion.append("speed \(state.format.speed(speed))")
    }
    if let course = location.courseDegreesTrue {
      motion.append("course \(Text.fixed(course, 0))° true")
    }
    var rows = [
      // With reduced accuracy, the time of arrival is not the age of the position.
      fixRow(isCoarse ? "" : positionAge(newest), head.joined(separator: ", "), .good),
      WatchRow(rank: .position, text: place),
    ]
    if !motion.isEmpty {
      rows.append(WatchRow(rank: .motion, text: motion.joined(separator: "   ")))
    }
    if let time = location.time {
      let text = isCoarse ? state.format.coarse(time) : state.format.time(time)
      // With reduced accuracy, this row replaces the age, so it has the same rank as the position.
      rows.append(WatchRow(rank: isCoarse ? .position : .motion, text: text))
    }
    return rows
  }

  /// The last known position, always with its age and marked as lost.
  private func lastPositionRows() -> [WatchRow] {
    guard let location = state.location else { return [] }
    let marks = Text.marks(
      isSimulated: location.value.isSimulated, isReplayed: location.value.isReplayed)
    let text = (["lost; last position " + position(location.value)] + marks)
      .joined(separator: ", ")
    return [
      WatchRow(
        rank: .position, label: "", age: positionAge(location, oldAfter: 0), text: text)
    ]
  }

  /// The age of a position; empty if it is unknown, as in a recording without a date.
  private func positionAge(
    _ location: WatchState.Timestamped<Location>, oldAfter limit: Double? = nil
  ) -> String {
    guard location.value.isReplayed else { return age(location.at, oldAfter: limit) }
    return location.value.recordedAt.map { age($0, oldAfter: limit) } ?? ""
  }

  private func position(_ location: Location) -> String {
    let text = Text.coordinate(location.coordinate)
    return String(text.drop { $0 == " " })
  }

  private func status(_ status: FixStatus?) -> String? {
    switch status {
    case nil, .autonomous, .simulated: nil
    case .differential: "differential"
    case .rtkFixed: "RTK fixed"
    case .rtkFloat: "RTK float"
    case .deadReckoning: "dead reckoning"
    case .combined: "satellites and dead reckoning"
    case .surveyed: "surveyed, not measured"
    case .precisePositioning: "precise positioning"
    }
  }
}
