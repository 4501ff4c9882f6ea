// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// Waits for the first position of a source.
package struct FirstFix: Sendable {
  /// The result of the wait.
  package enum Outcome: Equatable, Sendable {
    /// A fix with a position.
    case fix(Fix)
    /// No position arrived in time. `newest` is the last fix without a position; `nil` if the
    /// receiver reported nothing.
    case timedOut(newest: Fix?)
    /// The source ended or is unavailable. The associated value describes the failure; `nil` if the
    /// source ended without a failure.
    case ended(String?)
  }

  private enum Event: Sendable {
    case fix(Fix)
    case ended(String?)
    case timeoutPassed
  }

  package var session: SourceSession
  package var timeout: Duration

  package init(session: SourceSession, timeout: Duration) {
    self.session = session
    self.timeout = timeout
  }

  /// Runs the source until its first position, its end or the timeout.
  package func wait(on clock: some Clock<Duration> = ContinuousClock()) async -> Outcome {
    // Older events may be dropped: only the newest fix and the end matter.
    let (events, continuation) = AsyncStream.makeStream(
      of: Event.self, bufferingPolicy: .bufferingNewest(16))
    return await withTaskGroup(of: Void.self) { group in
      start(&group, continuation)
      group.addTask { [timeout] in
        if (try? await clock.sleep(for: timeout)) != nil { continuation.yield(.timeoutPassed) }
      }
      let outcome = await outcome(of: events)
      group.cancelAll()
      return outcome
    }
  }

  private func start(
    _ group: inout TaskGroup<Void>, _ continuation: AsyncStream<Event>.Continuation
  ) {
    group.addTask { [session] in
      do {
        try await session.source.run { event in
          switch event {
          case .fix(let fix): continuation.yield(.fix(fix))
          case .lost(let loss) where loss.reason == .unreachable || loss.reason == .incompatible:
            // The source keeps retrying, but the caller of a single wait needs the failure now.
            continuation.yield(.ended(loss.detail ?? "\(session.source.name): \(loss)"))
          default: break
          }
        }
        continuation.yield(.ended(nil))
      } catch {
        continuation.yield(.ended("\(error)"))
      }
    }
  }

  private func outcome(of events: AsyncStream<Event>) async -> Outcome {
    var newest: Fix?
    for await event in events {
      switch event {
      case .fix(let fix) where fix.mode > .none: return .fix(fix)
      case .fix(let fix): newest = fix
      case .timeoutPassed: return .timedOut(newest: newest)
      case .ended(let failure): return .ended(failure)
      }
    }
    return .ended(nil)
  }
}
