// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import Synchronization
internal import SystemSupport

/// Keeps one MQTT connection open: connects again with back-off, to the next node of the cluster.
struct BrokerLoop: Sendable {
  /// The actions for one connection.
  struct Handlers: Sendable {
    var opened: @Sendable (MQTTChannel) -> Void
    var received: @Sendable (MQTTChannel.Event) -> Void
    var closed: @Sendable () -> Void
  }

  private final class Flag: Sendable { let value = Atomic(false) }

  let broker: BrokerSettings
  /// The part of the client id after the prefix.
  let suffix: String
  let filters: [String]
  let logger: Logger

  /// Connects until the task is cancelled.
  ///
  /// `makeHandlers` is called for each connection.
  func run(_ makeHandlers: @Sendable () -> Handlers) async {
    var backOff = BackOff(firstNanoseconds: 250_000_000, maxNanoseconds: 8_000_000_000)
    var generator = SystemRandomNumberGenerator()
    var number = Int.random(in: 0..<broker.addresses.count)
    var lastReason: String?
    while !Task.isCancelled {
      let handlers = makeHandlers()
      let accepted = Flag()
      let address = broker.addresses[number % broker.addresses.count]
      do throws(MQTTFailure) {
        let channel = try await MQTTChannel.connect(
          address, broker.connect(suffix), filters: filters,
          tls: address.isSecure ? broker.tls() : nil
        ) { event in
          handlers.received(event)
          if case .subscribed = event {
            accepted.value.store(true, ordering: .relaxed)
            logger.info("session \(suffix): connected to \(address)")
          }
        }
        handlers.opened(channel)
        // No event is received before `opened`.
        channel.setReading(true)
        let failure = await channel.end()
        handlers.closed()
        channel.close()
        throw failure
      } catch {
        if Task.isCancelled { return }
        if accepted.value.load(ordering: .relaxed) {
          backOff.succeed()
          lastReason = nil
        }
        if lastReason != error.description {
          logger.warning("session \(suffix): \(error)")
        }
        lastReason = error.description
      }
      number += 1
      try? await Task.sleep(for: .nanoseconds(backOff.next(using: &generator)))
    }
  }
}
