// SPDX-License-Identifier: Apache-2.0

import Plugins
import Positioning

/// The live view's section for the sky: one row, which the signal bars follow.
struct WatchSky: WatchSection {
  /// The age in seconds from which a sky is old; some receivers send one only in every fifth epoch.
  private static let oldSeconds = 10.0

  let state: WatchState
  let now: MonotonicTime

  var rows: [WatchRow] {
    guard let sky = state.sky else {
      return [WatchRow(rank: .subject, label: "Sky", text: "no satellites reported yet")]
    }
    let used = "\(sky.value.usedCount) used of \(sky.value.inViewCount) in view"
    if currentSky == nil {
      return [
        WatchRow(
          rank: .subject, label: "Sky", age: age(sky.at, oldAfter: 0),
          text: "lost; was \(used)",
          tone: .bad)
      ]
    }
    guard sky.value.inViewCount > 0 else {
      return [
        WatchRow(
          rank: .subject, label: "Sky", age: age(sky.at), text: "no satellites in view", tone: .bad)
      ]
    }
    let dilution = sky.value.dilution
    let parts = [
      ("HDOP", dilution.horizontal), ("VDOP", dilution.vertical), ("PDOP", dilution.position),
    ].compactMap { name, value in value.map { "\(name) \(Text.fixed($0, 1))" } }
    return [
      WatchRow(
        rank: .subject, label: "Sky", age: age(sky.at),
        text: ([used] + (parts.isEmpty ? [] : [parts.joined(separator: " ")])).joined(
          separator: "   "))
    ]
  }

  /// The sky; `nil` if the sky is older than the limit, or older than the loss of the receiver.
  var currentSky: SkyView? {
    guard let sky = state.sky, now.seconds(since: sky.at) <= Self.oldSeconds else { return nil }
    if case .lost(let loss) = state.positionStatus, sky.at <= loss.at { return nil }
    return sky.value
  }
}
