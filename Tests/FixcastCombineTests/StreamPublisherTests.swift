// SPDX-License-Identifier: Apache-2.0

import FixcastCombine
import FixcastTesting
import OpenCombine
import PathMonitorClient
import Streams
import Testing

/// What a publisher does with its client's stream, whatever its subscriber demands.
@Suite("A published stream", .timeLimit(.minutes(5)))
@MainActor struct StreamPublisherTests {
  /// Demands what it is told to, and holds its subscription until it is told otherwise.
  private final class Holder: Subscriber {
    typealias Input = NetworkPath
    typealias Failure = Never

    nonisolated(unsafe) var subscription: (any Subscription)?
    let received = EventRecorder<Bool>()

    func receive(subscription: any Subscription) { self.subscription = subscription }

    func receive(_ input: NetworkPath) -> Subscribers.Demand {
      received.record(input.isSatisfied)
      return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {}
  }

  @Test(arguments: [false, true])
  func `is closed by a cancel, whether or not anything was demanded`(isDemanded: Bool) async {
    let counts = EventRecorder<Int>()
    let broadcast = Broadcast<NetworkPath>(
      replaysNewest: true, listenersChanged: { counts.record($0) })
    broadcast.send(NetworkPath(status: .satisfied))
    let holder = Holder()
    PathMonitorClient { broadcast.subscribe() }.networkPathPublisher.subscribe(holder)
    #expect(counts.events == [1])
    if isDemanded {
      holder.subscription?.request(.max(1))
      await holder.received.wait(for: 1)
    }
    holder.subscription?.cancel()
    // Cancelled means closed, although the subscription itself is still held.
    #expect(await counts.wait(for: 2) == [1, 0])
    holder.subscription?.request(.max(1))
    #expect(holder.received.events.count == (isDemanded ? 1 : 0))
  }
}
