// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import NIOCore
internal import Synchronization

/// Answers a refused connection with the reason, and closes it.
///
/// A client that is still sending when the connection closes gets a write error instead of the
/// answer. A client that gets an answer before it has sent its request reports a protocol error.
/// Therefore the answer is sent when the request begins to arrive, or after 50 ms without one. The
/// daemon then closes only its own side, and discards input until the client closes or the linger
/// time ends.
final class RefusalHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  /// Limits the number of refused connections that linger, over all connections.
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
  /// The timer for the answer to a client that sends nothing; `nil` once an answer was sent.
  private var answerTimer: Scheduled<Void>?
  private static let answerDelay = TimeAmount.milliseconds(50)
  /// The timer that ends lingering; `nil` while the connection does not linger.
  private var lingerTimer: Scheduled<Void>?

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
      if lingerTimer != nil { context.close(promise: nil) }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    answerTimer?.cancel()
    answerTimer = nil
    if let lingerTimer {
      lingerTimer.cancel()
      slots.release()
    }
    lingerTimer = nil
    context.fireChannelInactive()
  }

  private func linger(_ context: ChannelHandlerContext, isWritten: Bool) {
    guard isWritten, !isInputClosed, context.channel.isActive, slots.take() else {
      return context.close(promise: nil)
    }
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    lingerTimer = context.eventLoop.scheduleTask(in: lingerTime) { bound.value.close(promise: nil) }
    context.close(mode: .output, promise: nil)
  }
}
