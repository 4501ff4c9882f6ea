// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import SystemSupport

@testable import LocationServices

/// A policy on a scratch folder, with a clock that the test advances.
final class PolicyFixture: Sendable {
  let policy: PolicyFiles
  let clock = ManualClock()
  let places: PolicyPaths
  let lines = EventRecorder<String>()

  init(_ folder: borrowing ScratchFolder, unit: String? = nil, purposes: [String: String]? = nil) {
    places = PolicyPaths(root: folder.path)
    let start = BootTimestamp.noon
    let (clock, lines) = (clock, lines)
    policy = PolicyFiles(
      client: ClientIdentity(userID: 1000, systemUnit: unit), places: places,
      fullAccuracyPurposes: purposes, interval: .seconds(1), usesInotify: false, clock: clock,
      now: { start.advanced(bySeconds: Int64(clock.now.offset.components.seconds)) },
      report: { lines.record($0) })
  }

  /// Makes the policy check its files this many times.
  func checkFiles(_ times: Int = 1) async {
    for _ in 0..<times {
      await clock.waitForSleepers()
      clock.advance(by: .seconds(1))
    }
    await clock.waitForSleepers()
  }
}
