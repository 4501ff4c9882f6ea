// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import NIOCore
internal import Positioning

/// Passes the bytes of a feed's client to the core.
///
/// Reading is paused while a client sends more than any real client does, so that one client cannot
/// occupy the event loop. A connection whose client closes its side is closed, as gpsd does with its own.
final class FeedChannelHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  /// The number of bytes that are read in each interval.
  private static let maxIntervalBytes = 16_384
  private static let interval = TimeAmount.milliseconds(100)

  private let id: ServerCore.ConnectionID
  private let client: PeerEvidence
  private let utcNow: @Sendable () -> UTCTime?
  private let handle: @Sendable (ServerCore.Event) -> Void
  private var byteCount = 0
  private var pause: Scheduled<Void>?

  init(
    id: ServerCore.ConnectionID, client: PeerEvidence, utcNow: @escaping @Sendable () -> UTCTime?,
    handle: @escaping @Sendable (ServerCore.Event) -> Void
  ) {
    self.id = id
    self.client = client
    self.utcNow = utcNow
    self.handle = handle
  }

  func channelActive(context: ChannelHandlerContext) {
    handle(.connected(id))
    handle(.feedConnected(id, client))
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let buffer = unwrapInboundIn(data)
    byteCount += buffer.readableBytes
    handle(.received(id, Array(buffer.readableBytesView), utcNow()))
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if byteCount < Self.maxIntervalBytes { context.read() }
    guard pause == nil else { return }
    let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    pause = context.eventLoop.scheduleTask(in: Self.interval) {
      let (handler, context) = bound.value
      let isPaused = handler.byteCount >= Self.maxIntervalBytes
      handler.byteCount = 0
      handler.pause = nil
      if isPaused { context.read() }
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    pause?.cancel()
    context.fireChannelInactive()
  }
}
