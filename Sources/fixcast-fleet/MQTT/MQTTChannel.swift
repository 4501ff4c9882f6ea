// SPDX-License-Identifier: Apache-2.0

internal import MQTTPackets
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import SystemSupport

/// An MQTT connection; all calls are thread-safe.
final class MQTTChannel: Sendable {
  enum Event: Sendable {
    /// The broker accepted the connection and its subscriptions.
    case subscribed
    case message(MQTTPacket.Publish)
  }

  private let channel: any Channel

  private let ends: AsyncStream<MQTTFailure>

  private init(_ channel: any Channel, _ ends: AsyncStream<MQTTFailure>) {
    (self.channel, self.ends) = (channel, ends)
  }

  /// Connects to a broker and subscribes.
  ///
  /// - Parameters:
  ///   - address: The broker.
  ///   - connect: The CONNECT packet.
  ///   - filters: The subscriptions.
  ///   - tls: The configuration for `mqtts://`.
  ///   - receive: Called with each event, on the thread of the connection.
  /// - Returns: The connection, which receives nothing until ``setReading(_:)`` is called.
  /// - Throws: `MQTTFailure`.
  static func connect(
    _ address: BrokerAddress, _ connect: MQTTPacket.Connect, filters: [String],
    tls: NIOSSLContext?, receive: @escaping @Sendable (Event) -> Void
  ) async throws(MQTTFailure) -> MQTTChannel {
    let seconds = Int64(connect.keepAliveSeconds)
    let host = address.server.host
    let (ends, end) = AsyncStream<MQTTFailure>.makeStream()
    do {
      let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connectTimeout(.seconds(10))
        .channelOption(.autoRead, value: false)
        .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            if let tls {
              // An IP address cannot be a server name of TLS.
              let name = host.address == nil ? host.text : nil
              try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: name))
            }
            try pipeline.addHandlers([
              IdleStateHandler(readTimeout: .seconds(seconds), writeTimeout: .seconds(seconds / 2)),
              ByteToMessageHandler(MQTTPacketDecoder()),
              MQTTChannelHandler(connect, filters: filters, end: end, receive: receive),
            ])
          }
        }
      let channel = try await bootstrap.connect(host: host.text, port: Int(address.server.port))
        .get()
      return MQTTChannel(channel, ends)
    } catch {
      throw MQTTFailure("\(address): \(error)")
    }
  }

  /// Waits until the connection ends, and returns the reason.
  func end() async -> MQTTFailure {
    for await failure in ends { return failure }
    return MQTTFailure("cancelled")
  }

  /// Sends packets in one write.
  func send(_ packets: [MQTTPacket]) {
    var buffer = channel.allocator.buffer(capacity: packets.count * 4)
    for packet in packets { packet.write(to: &buffer) }
    channel.writeAndFlush(buffer, promise: nil)
  }

  /// Starts or stops reading, so that a broker without a limit cannot fill the queue.
  func setReading(_ isReading: Bool) {
    _ = channel.setOption(.autoRead, value: isReading)
  }

  /// Ends the connection; an orderly end keeps the session at the broker all the same.
  func close() {
    send([.disconnect])
    channel.close(promise: nil)
  }
}
