// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Receivers
import Synchronization

@testable import Daemon

/// Sources that do what a test tells them to, and tell when they are opened and closed.
final class SourceStub: Sendable {
  enum Step: Sendable {
    case say(FixSourceEvent)
    case fail(String)
    case end
  }

  struct Failure: Error, CustomStringConvertible { let description: String }

  private struct Source: FixSource {
    let name: String
    let desk: SourceStub

    func run(delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void) async throws(Failure)
    {
      let (steps, continuation) = AsyncStream.makeStream(of: Step.self)
      desk.newest.withLock { $0 = continuation }
      desk.log.record("open \(name)")
      defer { desk.log.record("close \(name)") }
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

  /// Tells the source that was opened last what to do.
  func tell(_ step: Step) { _ = newest.withLock { $0?.yield(step) } }

  /// Waits until that many sources have been opened in all.
  func opened(_ count: Int) async {
    await log.wait { $0.count { $0.hasPrefix("open") } >= count }
  }

  var factory: SourceFactory {
    SourceFactory(
      simulated: { Source(name: "simulated", desk: self) },
      replay: { file, _, _ in Source(name: file, desk: self) })
  }
}
