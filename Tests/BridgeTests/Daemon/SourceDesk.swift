// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Receivers
import Synchronization

@testable import Bridge

/// Sources that do what a test tells them to, and tell when they are opened and closed.
final class SourceDesk: Sendable {
  enum Step: Sendable {
    case say(FixSourceEvent)
    case fail(String)
    case end
  }

  struct Failure: Error, CustomStringConvertible { let description: String }

  private struct Source: FixSource {
    let name: String
    let steps: AsyncStream<Step>
    let log: EventRecorder<String>

    func run(delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void) async throws(Failure)
    {
      log.record("open \(name)")
      defer { log.record("close \(name)") }
      for await step in steps {
        switch step {
        case .say(let event): deliver(event)
        case .fail(let reason): throw Failure(description: reason)
        case .end: return
        }
      }
    }
  }

  /// What was opened and closed, in order.
  let log = EventRecorder<String>()
  private let newest = Mutex<AsyncStream<Step>.Continuation?>(nil)

  /// Tells the source that was made last what to do.
  func tell(_ step: Step) { _ = newest.withLock { $0?.yield(step) } }

  /// Waits until that many sources have been opened in all.
  func opened(_ count: Int) async {
    await log.wait { $0.count { $0.hasPrefix("open") } >= count }
  }

  var factory: SourceFactory {
    SourceFactory(
      simulated: { self.session("simulated") }, replay: { file, _, _ in self.session(file) })
  }

  private func session(_ name: String) -> SourceSession {
    let (steps, continuation) = AsyncStream.makeStream(of: Step.self)
    newest.withLock { $0 = continuation }
    return SourceSession(
      source: Source(name: name, steps: steps, log: log), counters: { NMEACounters() })
  }
}
