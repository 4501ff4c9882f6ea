// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import SystemSupport
import Testing

@testable import LocationServices

extension DecisionStore {
  /// Waits until the ledger satisfies a condition; the kernel reports each change.
  func wait(until isSatisfied: (DecisionLedger) -> Bool) async throws {
    let changes = EventRecorder<FolderWatch.Event>()
    let watch = try #require(
      FolderWatch([.init(path: folder, suffix: Self.fileName)]) { changes.record($0) })
    var seen = changes.events.count
    while try !isSatisfied(read()) {
      let next = await changes.wait { [seen] in $0.count > seen }.count
      // Fails if the wait was cancelled, as by a test's time limit.
      try #require(next > seen)
      seen = next
    }
    withExtendedLifetime(watch) {}
  }
}
