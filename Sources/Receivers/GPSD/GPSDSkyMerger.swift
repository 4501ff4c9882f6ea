// SPDX-License-Identifier: Apache-2.0

import Positioning

/// Merges the SKYs of one epoch: gpsd sends dilutions and satellites together or apart.
struct GPSDSkyMerger: Sendable {
  /// What has been said of the open epoch.
  private(set) var open: GPSDSky?
  private var receivedAt: MonotonicTime?

  /// When ``completeOnSilence(at:)`` should be called if nothing arrives before.
  var silenceDeadline: MonotonicTime? {
    guard open != nil else { return nil }
    return receivedAt?.advanced(byNanoseconds: EpochAssembler.silenceNanoseconds)
  }

  /// Takes a SKY; gives the sky of the epoch before where this one begins another.
  mutating func ingest(_ sky: GPSDSky, receivedAt: MonotonicTime) -> SkyView? {
    let completed = sky.time.flatMap { completeIfOpen(before: $0) }
    self.receivedAt = receivedAt
    guard var merged = open else {
      open = sky
      return completed
    }
    merged.time = sky.time ?? merged.time
    merged.dilution.horizontal = sky.dilution.horizontal ?? merged.dilution.horizontal
    merged.dilution.vertical = sky.dilution.vertical ?? merged.dilution.vertical
    merged.dilution.position = sky.dilution.position ?? merged.dilution.position
    merged.dilution.time = sky.dilution.time ?? merged.dilution.time
    merged.dilution.x = sky.dilution.x ?? merged.dilution.x
    merged.dilution.y = sky.dilution.y ?? merged.dilution.y
    // gpsd's lists are whole: the newer one counts.
    merged.satellites = sky.satellites ?? merged.satellites
    open = merged
    return completed
  }

  /// Takes it that a TPV is about that time; gives the sky of the epoch that it ends.
  ///
  /// A SKY without a time ends with any other epoch than `previous`, the one it came after.
  mutating func beginEpoch(_ time: UTCTime, after previous: UTCTime?) -> SkyView? {
    guard let open else { return nil }
    if let skyTime = open.time { return skyTime == time ? nil : complete() }
    return previous == time ? nil : complete()
  }

  /// Gives the open sky if nothing has come for long enough.
  mutating func completeOnSilence(at now: MonotonicTime) -> SkyView? {
    guard let deadline = silenceDeadline, now >= deadline else { return nil }
    return complete()
  }

  private mutating func completeIfOpen(before time: UTCTime) -> SkyView? {
    guard let openTime = open?.time, openTime != time else { return nil }
    return complete()
  }

  /// The open sky; `nil` where no list of satellites came: dilutions alone show no sky.
  private mutating func complete() -> SkyView? {
    defer { open = nil }
    guard let open, let satellites = open.satellites else { return nil }
    var view = SkyView(time: open.time, satellites: satellites, dilution: open.dilution)
    view.receivedAt = receivedAt
    return view
  }
}
