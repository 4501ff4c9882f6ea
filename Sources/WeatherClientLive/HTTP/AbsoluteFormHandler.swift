// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP1

/// Writes the whole URL into a request's first line, as a proxy wants it (RFC 9112, 3.2.2).
final class AbsoluteFormHandler: ChannelOutboundHandler, Sendable {
  typealias OutboundIn = HTTPClientRequestPart
  typealias OutboundOut = HTTPClientRequestPart

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .head(var head) = Self.unwrapOutboundIn(data),
      let host = head.headers.first(name: "Host")
    else {
      context.write(data, promise: promise)
      return
    }
    head.uri = "http://\(host)\(head.uri)"
    context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
  }

  /// Puts a handler between whoever makes requests and whoever encodes them.
  static func install(in channel: any Channel) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      let encoder = try pipeline.handler(type: HTTPRequestEncoder.self)
      try pipeline.addHandler(AbsoluteFormHandler(), position: .after(encoder))
    }
  }
}
