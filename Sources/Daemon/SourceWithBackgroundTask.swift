// SPDX-License-Identifier: Apache-2.0

package import Positioning
package import Receivers

/// A source and a background task that supplies the source's input, for example a simulated
/// receiver that writes to a pseudo-terminal.
///
/// The task runs while the source runs, and is cancelled when the source ends.
package struct SourceWithBackgroundTask<Source: FixSource & NMEACounting>: FixSource, NMEACounting {
  private let source: Source
  private let backgroundTask: @Sendable () async -> Void

  package init(_ source: Source, backgroundTask: @escaping @Sendable () async -> Void) {
    self.source = source
    self.backgroundTask = backgroundTask
  }

  package var name: String { source.name }
  package var counters: NMEACounters { source.counters }

  package func run(
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async throws(any Error) {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await source.run(delivering: deliver)
        return true
      }
      group.addTask {
        await backgroundTask()
        return false
      }
      while let hasEnded = try await group.next(), !hasEnded {}
      group.cancelAll()
    }
  }
}
