// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import NIOCore
internal import Synchronization

/// Sends the reason to the client of a refused connection, and closes the connection.
///
/// If the connection is closed while the client is still sending, the client gets a write error
/// instead of the response. If the response arrives before the client has sent its request, the
/// client reports a protocol error. Therefore the response is sent when the request begins to
/// arrive, or after 50 ms without input. The daemon then closes only its own side, and discards
/// input until the client closes the connection or the linger time has passed.
///
/// The linger time begins with the connection: TLS writes nothing before its handshake, which a client
/// may never complete.
final class RefusalHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  /// Limits the number of refused connections that linger at the same time.
  final class LingerSlots: Sendable {
    private let limit: Int
    private let count = Mutex(0)

    init(_ limit: Int) { self.limit = limit }

    fileprivate func take() -> Bool {
      count.withLock { count in
        guard count < limit else { return false }
        count += 1
        return true
      }
    }

    fileprivate func release() { count.withLock { $0 -= 1 } }
  }

  private let bytes: [UInt8]
  private let slots: LingerSlots
  private let lingerTime: TimeAmount
  private var isInputClosed = false
  /// The timer for the response to a client that sends nothing; `nil` after the response was sent.
  private var answerTimer: Scheduled<Void>?
  private static let answerDelay = TimeAmount.milliseconds(50)
  /// The timer that ends the connection.
  private var endTimer: Scheduled<Void>?
  /// Whether the response was sent and the connection takes a slot.
  private var isLingering = false

  init(_ fault: DaemonFault, _ slots: LingerSlots, lingerSeconds: Double) {
    bytes = HTTPAnswer.fault(fault)
    self.slots = slots
    lingerTime = .nanoseconds(Int64(min(max(lingerSeconds, 0), 3600) * 1e9))
  }

  func channelActive(context: ChannelHandlerContext) {
    let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    answerTimer = context.eventLoop.scheduleTask(in: Self.answerDelay) {
      bound.value.handler.answer(bound.value.context)
    }
    endTimer = context.eventLoop.scheduleTask(in: Self.answerDelay + lingerTime) {
      let channel = bound.value.context.channel
      // TLS would first send the bytes that it has buffered.
      channel.triggerUserOutboundEvent(AbortHandler.Abort(), promise: nil)
      channel.close(promise: nil)
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { answer(context) }

  private func answer(_ context: ChannelHandlerContext) {
    guard let answerTimer else { return }
    answerTimer.cancel()
    self.answerTimer = nil
    let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    context.channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenComplete { result in
      let isWritten = if case .success = result { true } else { false }
      bound.value.handler.linger(bound.value.context, isWritten: isWritten)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed {
      isInputClosed = true
      answer(context)
      if isLingering {
        releaseSlot()
        context.close(promise: nil)
      }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    answerTimer?.cancel()
    answerTimer = nil
    endTimer?.cancel()
    endTimer = nil
    releaseSlot()
    context.fireChannelInactive()
  }

  /// Releases the slot before the close, so that a client that sees the close can take it.
  private func releaseSlot() {
    if isLingering { slots.release() }
    isLingering = false
  }

  private func linger(_ context: ChannelHandlerContext, isWritten: Bool) {
    guard isWritten, !isInputClosed, context.channel.isActive, slots.take() else {
      return context.close(promise: nil)
    }
    isLingering = true
    context.close(mode: .output, promise: nil)
  }
}
