// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import SystemSupport
import Testing

@testable import LocationServices

extension DecisionStore {
  /// Waits until the answers satisfy a condition; the kernel tells of each change.
  func wait(until isSatisfied: (DecisionLedger) -> Bool) async throws {
    let told = EventRecorder<FolderWatch.Event>()
    let watch = try #require(
      FolderWatch([.init(path: folder, suffix: Self.fileName)]) { told.record($0) })
    var seen = told.events.count
    while try !isSatisfied(read()) {
      let next = await told.wait { [seen] in $0.count > seen }.count
      // Cancelled, as by a test's time limit.
      try #require(next > seen)
      seen = next
    }
    withExtendedLifetime(watch) {}
  }
}
