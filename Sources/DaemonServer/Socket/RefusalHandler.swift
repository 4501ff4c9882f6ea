// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import NIOCore
internal import Synchronization

/// Says why a connection is not served, and ends it.
///
/// A client that is still sending when the daemon closes the connection sees a failed write and not the
/// answer, and one that is answered before it has asked takes the answer for an error. So the answer is
/// sent when the request begins to come, or 50 ms later. The daemon then closes its side alone, and
/// discards what the client sends until that closes too, or for a while.
final class RefusalHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  /// How many may finish what they are sending, all together.
  final class Places: Sendable {
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

    fileprivate func giveBack() { count.withLock { $0 -= 1 } }
  }

  private let bytes: [UInt8]
  private let places: Places
  private let lingerTime: TimeAmount
  private var isInputOver = false
  /// The answer to a client that sends nothing; `nil` once any answer was sent.
  private var silence: Scheduled<Void>?
  private static let silenceTime = TimeAmount.milliseconds(50)
  /// The end of the wait; `nil` where nothing is waited for.
  private var end: Scheduled<Void>?

  init(_ fault: DaemonFault, _ places: Places, lingerSeconds: Double) {
    bytes = HTTPAnswer.fault(fault)
    self.places = places
    lingerTime = .nanoseconds(Int64(min(max(lingerSeconds, 0), 3600) * 1e9))
  }

  func channelActive(context: ChannelHandlerContext) {
    let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    silence = context.eventLoop.scheduleTask(in: Self.silenceTime) {
      bound.value.handler.answer(bound.value.context)
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { answer(context) }

  private func answer(_ context: ChannelHandlerContext) {
    guard let silence else { return }
    silence.cancel()
    self.silence = nil
    let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    context.channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenComplete { result in
      let isWritten = if case .success = result { true } else { false }
      bound.value.handler.linger(bound.value.context, isWritten: isWritten)
    }
  }

  /// The client sends no more.
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed {
      isInputOver = true
      answer(context)
      if end != nil { context.close(promise: nil) }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    silence?.cancel()
    silence = nil
    if let end {
      end.cancel()
      places.giveBack()
    }
    end = nil
    context.fireChannelInactive()
  }

  private func linger(_ context: ChannelHandlerContext, isWritten: Bool) {
    guard isWritten, !isInputOver, context.channel.isActive, places.take() else {
      return context.close(promise: nil)
    }
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    end = context.eventLoop.scheduleTask(in: lingerTime) { bound.value.close(promise: nil) }
    context.close(mode: .output, promise: nil)
  }
}
