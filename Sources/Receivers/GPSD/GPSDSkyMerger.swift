// SPDX-License-Identifier: Apache-2.0

import Positioning

/// Merges the SKYs of one epoch: gpsd sends dilutions and satellites together or separately.
struct GPSDSkyMerger: Sendable {
  /// The merged SKY of the open epoch.
  private(set) var openSky: GPSDSky?
  private var receivedAt: MonotonicTime?

  /// The time at which to call ``completeOnSilence(at:)`` if no report arrives earlier.
  var silenceDeadline: MonotonicTime? {
    guard openSky != nil else { return nil }
    return receivedAt?.advanced(byNanoseconds: EpochAssembler.silenceNanoseconds)
  }

  /// Handles a SKY; returns the sky view of the previous epoch if this SKY starts a new epoch.
  mutating func ingest(_ sky: GPSDSky, receivedAt: MonotonicTime) -> SkyView? {
    let completed = sky.time.flatMap { completeIfOpen(before: $0) }
    self.receivedAt = receivedAt
    guard var merged = openSky else {
      openSky = sky
      return completed
    }
    merged.time = sky.time ?? merged.time
    merged.dilution.horizontal = sky.dilution.horizontal ?? merged.dilution.horizontal
    merged.dilution.vertical = sky.dilution.vertical ?? merged.dilution.vertical
    merged.dilution.position = sky.dilution.position ?? merged.dilution.position
    merged.dilution.time = sky.dilution.time ?? merged.dilution.time
    merged.dilution.x = sky.dilution.x ?? merged.dilution.x
    merged.dilution.y = sky.dilution.y ?? merged.dilution.y
    // gpsd's lists are complete, so the newer list replaces the older list.
    merged.satellites = sky.satellites ?? merged.satellites
    openSky = merged
    return completed
  }

  /// Handles the time of a TPV; returns the sky view of the epoch that this TPV ends.
  ///
  /// A SKY without a time belongs to the epoch `previous`, whose TPV preceded it, and is complete
  /// when a TPV of another epoch arrives.
  mutating func beginEpoch(_ time: UTCTime, after previous: UTCTime?) -> SkyView? {
    guard let openSky else { return nil }
    if let skyTime = openSky.time { return skyTime == time ? nil : complete() }
    return previous == time ? nil : complete()
  }

  /// Returns the open sky view if the silence deadline has passed.
  mutating func completeOnSilence(at now: MonotonicTime) -> SkyView? {
    guard let deadline = silenceDeadline, now >= deadline else { return nil }
    return complete()
  }

  private mutating func completeIfOpen(before time: UTCTime) -> SkyView? {
    guard let openTime = openSky?.time, openTime != time else { return nil }
    return complete()
  }

  /// Closes the epoch and returns its sky view, or `nil` if no satellite list was received.
  private mutating func complete() -> SkyView? {
    defer { openSky = nil }
    guard let openSky, let satellites = openSky.satellites else { return nil }
    var view = SkyView(time: openSky.time, satellites: satellites, dilution: openSky.dilution)
    view.receivedAt = receivedAt
    return view
  }
}
