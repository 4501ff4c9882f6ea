// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Closes a connection with TLS at once, without the bytes that TLS has buffered.
///
/// Has to be between the socket and TLS.
final class AbortHandler: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer

  /// The event that closes the connection.
  struct Abort: Sendable {}

  func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    guard event is Abort else {
      return context.triggerUserOutboundEvent(event, promise: promise)
    }
    context.close(promise: promise)
  }
}
