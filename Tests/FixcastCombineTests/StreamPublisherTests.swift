// SPDX-License-Identifier: Apache-2.0

import FixcastCombine
import FixcastTesting
import OpenCombine
import PathMonitorClient
import Streams
import Testing

/// Tests of the lifetime of a publisher's stream.
@Suite("Stream publisher", .timeLimit(.minutes(5)))
@MainActor struct StreamPublisherTests {
  /// A subscriber that retains its subscription and requests nothing by itself.
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
  func `cancelling a subscription of networkPathPublisher closes its stream`(isDemanded: Bool) async {
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
    // The stream must be closed although the subscription is still retained.
    #expect(await counts.wait(for: 2) == [1, 0])
    holder.subscription?.request(.max(1))
    #expect(holder.received.events.count == (isDemanded ? 1 : 0))
  }
}
