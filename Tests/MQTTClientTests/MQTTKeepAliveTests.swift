// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import NIOCore
import NIOPosix
import Synchronization
import SystemSupport
import Testing

@testable import MQTTClient

@Suite("Keepalive of MQTT connections", .timeLimit(.minutes(5)))
struct MQTTKeepAliveTests {
  /// Answers CONNECT and, if `answersPings`, each PINGREQ.
  private final class Broker: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answersPings: Bool

    init(answersPings: Bool) { self.answersPings = answersPings }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      var buffer = unwrapInboundIn(data)
      while let packet = try? MQTTPacket.read(from: &buffer) {
        switch packet {
        case .connect: answer(.connack(code: 0, isSessionPresent: false), context)
        case .pingreq: if answersPings { answer(.pingresp, context) }
        default: break
        }
      }
    }

    private func answer(_ packet: MQTTPacket, _ context: ChannelHandlerContext) {
      var buffer = ByteBuffer()
      packet.write(to: &buffer)
      context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }
  }

  /// Connects on a loop of its own.
  private static func use(
    _ broker: Broker, keepAliveSeconds: UInt16 = 1, accepted: @escaping @Sendable (any EventLoop) -> Void,
    _ body: (MQTTConnection, EventRecorder<MQTTEvent>) async throws -> Void
  ) async throws {
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in channel.pipeline.addHandler(broker) }
      .bind(host: "127.0.0.1", port: 0).get()
    let address = try #require(BrokerAddress("mqtt://127.0.0.1:\(server.localAddress?.port ?? 0)"))
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let (events, loop) = (EventRecorder<MQTTEvent>(), group.next())
    let connection = try await loop.submit {
      let settings = MQTTConnectionState.Settings(connect: .init(clientID: "c", keepAliveSeconds: keepAliveSeconds))
      return MQTTConnection(address, tls: nil, settings, on: loop) {
        if $0.contains(.accepted) { accepted(loop) }
        for event in $0 { events.record(event) }
      }
    }.get()
    try await body(connection, events)
    connection.close()
    await events.wait { if case .ended = $0.last { true } else { false } }
    try await group.shutdownGracefully()
    try await server.close()
  }

  @Test func `a silent broker is tested after three quarters of the keepalive`() async throws {
    let broker = Broker(answersPings: false)
    let isLate = Atomic(false)
    // Both are tasks of one loop, which runs the earlier one first, however busy the machine is.
    try await Self.use(broker) { loop in
      loop.scheduleTask(in: .seconds(15)) { isLate.store(true, ordering: .releasing) }
    } _: { _, events in
      let all = await events.wait { if case .ended = $0.last { true } else { false } }
      #expect(all.last == .ended(.silence))
      let wasLate = isLate.load(ordering: .acquiring)
      #expect(!wasLate)
    }
  }

  @Test func `a connection that is closed with a reason ends with that reason`() async throws {
    try await Self.use(Broker(answersPings: true), keepAliveSeconds: 600) { _ in
    } _: { connection, events in
      #expect(await events.wait(for: 3) == [.opened, .accepted, .subscribed])
      let reason = MQTTFailure("the queue is full")
      connection.close(reason: reason)
      #expect(await events.wait(for: 4).last == .ended(reason))
    }
  }
}
