// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import Positioning
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

  private final class Retry: Sendable {
    let state: Mutex<BrokerRetry>
    init(_ state: BrokerRetry) { self.state = Mutex(state) }
  }

  let broker: BrokerSettings
  /// The part of the client id after the prefix.
  let suffix: String
  let filters: [String]
  let logger: Logger

  /// Connects until the task is cancelled.
  ///
  /// `makeHandlers` is called for each connection.
  func run(_ makeHandlers: @Sendable () -> Handlers) async {
    let retry = Retry(BrokerRetry(clientID: "\(broker.clientIDPrefix)-\(suffix)"))
    var generator = SystemRandomNumberGenerator()
    var number = Int.random(in: 0..<broker.addresses.count)
    while !Task.isCancelled {
      let handlers = makeHandlers()
      let address = broker.addresses[number % broker.addresses.count]
      do throws(MQTTFailure) {
        let channel = try await MQTTChannel.connect(
          address, broker.connect(suffix), filters: filters,
          tls: address.isSecure ? broker.tls() : nil
        ) { event in
          handlers.received(event)
          guard case .subscribed = event else { return }
          let line = retry.state.withLock { $0.accepted(by: address, at: .now()) }
          if let line { logger.info("session \(suffix): \(line)") }
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
        let (line, delay) = retry.state.withLock { state in
          state.failed(error, at: .now(), using: &generator)
        }
        if let line { logger.warning("session \(suffix): \(line)") }
        number += 1
        try? await Task.sleep(for: .nanoseconds(delay))
      }
    }
  }
}
