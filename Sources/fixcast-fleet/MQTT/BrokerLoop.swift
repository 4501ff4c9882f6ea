// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import MQTTClient
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Positioning
internal import Synchronization
internal import SystemSupport

/// Keeps one MQTT connection open: connects again with back-off, to the next node of the cluster.
struct BrokerLoop: Sendable {
  /// The actions for one connection, called on its event loop.
  struct Handlers: Sendable {
    /// Called with each event except the last one.
    var received: @Sendable (MQTTConnection, MQTTEvent) -> Void
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
      let address = broker.addresses[number % broker.addresses.count]
      let failure = await connect(to: address, retry, makeHandlers())
      guard let failure, !Task.isCancelled else { return }
      let (line, delay) = retry.state.withLock { state in
        state.failed(failure, at: .now(), using: &generator)
      }
      if let line { logger.warning("session \(suffix): \(line)") }
      number += 1
      try? await Task.sleep(for: .nanoseconds(delay))
    }
  }

  /// Connects, and returns why the connection has ended; `nil` if the task was cancelled.
  private func connect(
    to address: BrokerAddress, _ retry: Retry, _ handlers: Handlers
  ) async -> MQTTFailure? {
    let (failures, end) = AsyncStream<MQTTFailure>.makeStream()
    let (settings, tls): (MQTTConnectionState.Settings, NIOSSLContext?)
    do throws(MQTTFailure) {
      settings = try broker.session(suffix, filters: filters)
      tls = address.isSecure ? try broker.tls() : nil
    } catch { return error }
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let connection = try? await loop.submit {
      var connection: MQTTConnection?
      var isAccepted = false
      let opened = MQTTConnection(address, tls: tls, settings, on: loop) { events in
        for event in events {
          if case .ended(let failure) = event {
            handlers.closed()
            connection = nil
            let text = isAccepted ? failure.text : "\(address): \(failure)"
            end.yield(MQTTFailure(text, wasClosed: failure.wasClosed))
          } else if let connection {
            handlers.received(connection, event)
            guard case .subscribed = event else { continue }
            isAccepted = true
            let line = retry.state.withLock { $0.accepted(by: address, at: .now()) }
            if let line { logger.info("session \(suffix): \(line)") }
          }
        }
      }
      connection = opened
      return opened
    }.get()
    let failure = await failures.first { _ in true }
    connection?.close()
    return failure
  }
}
