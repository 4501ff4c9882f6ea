// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Receivers
import Synchronization

@testable import Daemon

/// A factory of sources that a test controls.
///
/// Logs each time a source is opened or closed.
final class FakeSource: Sendable {
  enum Step: Sendable {
    case deliver(FixSourceEvent)
    case fail(String)
    case end
  }

  struct Failure: Error, CustomStringConvertible { let description: String }

  private struct Source: FixSource {
    let name: String
    let owner: FakeSource

    func run(delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void) async throws(Failure) {
      let (steps, continuation) = AsyncStream.makeStream(of: Step.self)
      owner.newest.withLock { $0 = continuation }
      owner.log.record("open \(name)")
      defer { owner.log.record("close \(name)") }
      for await step in steps {
        switch step {
        case .deliver(let event): deliver(event)
        case .fail(let reason): throw Failure(description: reason)
        case .end: return
        }
      }
    }
  }

  /// The opened and closed sources, in order.
  let log = EventRecorder<String>()
  private let newest = Mutex<AsyncStream<Step>.Continuation?>(nil)

  /// Makes the source that was opened last perform a step.
  func send(_ step: Step) { _ = newest.withLock { $0?.yield(step) } }

  /// Waits until `count` sources have been opened in total.
  func waitUntilOpened(_ count: Int) async {
    await log.wait { $0.count { $0.hasPrefix("open") } >= count }
  }

  var factory: SourceFactory {
    SourceFactory(
      simulated: { Source(name: "simulated", owner: self) },
      replay: { file, _, _ in Source(name: file, owner: self) })
  }
}
