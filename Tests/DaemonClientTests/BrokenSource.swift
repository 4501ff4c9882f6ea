// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning

/// A source that fails at once.
final class BrokenSource: FixSource {
  struct Busy: Error, CustomStringConvertible { let description = "busy" }

  let name = "broken"
  /// If not empty, the source delivers a fix before it fails.
  let hasFix = EventRecorder<Bool>()

  func run(delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void) async throws {
    if !hasFix.events.isEmpty { deliver(.fix(BoardFixture.fix())) }
    throw Busy()
  }
}
