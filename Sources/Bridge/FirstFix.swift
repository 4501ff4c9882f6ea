// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// Waits for the first position of one of several sources.
public struct FirstFix: Sendable {
  /// What the wait ended with.
  public enum Outcome: Equatable, Sendable {
    /// A fix with a position.
    case fix(Fix)
    /// Time is over. The newest fix without a position, where a receiver answered at all.
    case timedOut(newest: Fix?)
    /// Every source has ended; why, one line each that failed.
    case ended([String])
  }

  private enum Event: Sendable {
    case fix(Fix)
    case ended(String?)
    case timeOver
  }

  /// The sources.
  public var sessions: [SourceSession]
  /// How long to wait.
  public var timeout: Duration

  /// Makes a wait.
  ///
  /// - Parameters:
  ///   - sessions: The sources.
  ///   - timeout: How long to wait.
  public init(sessions: [SourceSession], timeout: Duration) {
    self.sessions = sessions
    self.timeout = timeout
  }

  /// Waits.
  ///
  /// - Parameter clock: The clock that the timeout runs on.
  /// - Returns: What it ended with.
  public func wait(on clock: some Clock<Duration> = ContinuousClock()) async -> Outcome {
    // A fix a source and its end are all that matters; what is older is of no use here.
    let (events, sink) = AsyncStream.makeStream(
      of: Event.self, bufferingPolicy: .bufferingNewest(16 * (sessions.count + 1)))
    return await withTaskGroup(of: Void.self) { group in
      for session in sessions { start(session, &group, sink) }
      group.addTask { [timeout] in
        if (try? await clock.sleep(for: timeout)) != nil { sink.yield(.timeOver) }
      }
      let outcome = await first(of: events)
      group.cancelAll()
      return outcome
    }
  }

  private func start(
    _ session: SourceSession, _ group: inout TaskGroup<Void>,
    _ sink: AsyncStream<Event>.Continuation
  ) {
    group.addTask { await session.companion() }
    group.addTask {
      do {
        try await session.source.run { event in
          switch event {
          case .fix(let fix): sink.yield(.fix(fix))
          case .lost(let loss) where loss.reason == .unreachable:
            // It goes on trying; whoever wants one position now wants to know that nobody is there.
            let detail = loss.detail.map { ": \($0)" } ?? ""
            sink.yield(.ended("\(session.source.name) is not reachable\(detail)"))
          default: break
          }
        }
        sink.yield(.ended(nil))
      } catch {
        sink.yield(.ended("\(error)"))
      }
    }
  }

  private func first(of events: AsyncStream<Event>) async -> Outcome {
    var running = sessions.count
    var failures: [String] = []
    var newest: Fix?
    guard running > 0 else { return .ended([]) }
    for await event in events {
      switch event {
      case .fix(let fix) where fix.mode > .none: return .fix(fix)
      case .fix(let fix): newest = fix
      case .timeOver: return .timedOut(newest: newest)
      case .ended(let failure):
        running -= 1
        if let failure { failures.append(failure) }
        if running == 0 { return .ended(failures) }
      }
    }
    return .ended(failures)
  }
}
