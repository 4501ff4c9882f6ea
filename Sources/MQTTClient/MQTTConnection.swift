// SPDX-License-Identifier: Apache-2.0

package import NIOCore
package import NIOSSL
package import SystemSupport

/// An MQTT connection over SwiftNIO; all methods are thread-safe.
package final class MQTTConnection: Sendable {
  private let loop: any EventLoop
  private let handler: NIOLoopBound<MQTTChannelHandler>

  /// Begins to connect; must be called on the event loop.
  ///
  /// - Parameters:
  ///   - address: The broker.
  ///   - tls: The certificates for `mqtts://`.
  ///   - settings: The packets and the limits.
  ///   - loop: The event loop.
  ///   - receive: Called on the event loop with the events of one read; never during a call of this
  ///     class.
  package init(
    _ address: BrokerAddress, tls: NIOSSLContext?, _ settings: MQTTConnectionState.Settings,
    on loop: any EventLoop, receive: @escaping ([MQTTEvent]) -> Void
  ) {
    self.loop = loop
    let handler = MQTTChannelHandler(address, tls: tls, settings, loop, receive)
    self.handler = NIOLoopBound(handler, eventLoop: loop)
    handler.connect()
  }

  /// Sends packets in one write; drops them without an open connection.
  package func send(_ packets: [MQTTPacket]) { perform { $0.send(packets) } }

  /// Stops or continues reading, so that a broker without a limit cannot fill a queue.
  package func setReading(_ isReading: Bool) { perform { $0.setReading(isReading) } }

  /// Ends the connection.
  ///
  /// After a DISCONNECT, the broker keeps a persistent session and does not publish the will.
  ///
  /// - Parameters:
  ///   - sendsDisconnect: Whether to send a DISCONNECT.
  ///   - reason: The failure of the last event.
  package func close(sendsDisconnect: Bool = true, reason: MQTTFailure = .closedLocally) {
    perform { $0.close(sendsDisconnect, reason) }
  }

  private func perform(_ body: @escaping @Sendable (MQTTChannelHandler) -> Void) {
    if loop.inEventLoop { return body(handler.value) }
    loop.execute { [handler] in body(handler.value) }
  }
}
