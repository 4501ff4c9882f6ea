// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import MQTTPackets
internal import NIOCore

/// The handshake and the keepalive of an MQTT connection.
final class MQTTChannelHandler: ChannelInboundHandler {
  typealias InboundIn = MQTTPacket

  private let connect: MQTTPacket.Connect
  private let filters: [String]
  private let end: AsyncStream<MQTTFailure>.Continuation
  private let receive: (MQTTChannel.Event) -> Void
  private var failure: MQTTFailure?

  /// Creates a handler that yields to `end` the reason why the connection ends.
  init(
    _ connect: MQTTPacket.Connect, filters: [String],
    end: AsyncStream<MQTTFailure>.Continuation, receive: @escaping (MQTTChannel.Event) -> Void
  ) {
    self.connect = connect
    self.filters = filters
    self.end = end
    self.receive = receive
  }

  func channelActive(context: ChannelHandlerContext) {
    send(.connect(connect), context)
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .connack(let code, _):
      guard code == 0 else { return fail(MQTTFailure(connackCode: code), context) }
      guard !filters.isEmpty else { return receive(.subscribed) }
      // A persistent session keeps its subscriptions; to subscribe again is harmless.
      send(.subscribe(id: 1, filters: filters), context)
    case .suback(_, let codes):
      guard codes.allSatisfy({ $0 <= 2 }) else {
        return fail(MQTTFailure("the broker rejected a subscription"), context)
      }
      receive(.subscribed)
    case .publish(let publish): receive(.message(publish))
    default: break
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event as? IdleStateHandler.IdleStateEvent {
    case .write: send(.pingreq, context)
    case .read:
      // While reading is paused for a slow database, the broker's answers are not read either.
      guard (try? context.channel.syncOptions?.getOption(.autoRead)) != false else { return }
      fail(MQTTFailure("the broker does not answer"), context)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // A broker that closes a connection with unread bytes resets it.
    let wasReset = (error as? IOError)?.errnoCode == ECONNRESET
    fail(MQTTFailure("\(error)", wasClosed: wasReset), context)
  }

  func channelInactive(context: ChannelHandlerContext) {
    finish()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { finish() }

  private func finish() {
    end.yield(failure ?? MQTTFailure("the broker closed the connection", wasClosed: true))
    end.finish()
  }

  private func fail(_ failure: MQTTFailure, _ context: ChannelHandlerContext) {
    if self.failure == nil { self.failure = failure }
    context.close(promise: nil)
  }

  private func send(_ packet: MQTTPacket, _ context: ChannelHandlerContext) {
    var buffer = context.channel.allocator.buffer(capacity: 128)
    packet.write(to: &buffer)
    context.writeAndFlush(NIOAny(buffer), promise: nil)
  }
}
