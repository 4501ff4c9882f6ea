// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP1

/// Writes the absolute URL into the request line, as proxies require (RFC 9112, 3.2.2).
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

  /// Inserts the handler so that outbound requests reach it before the request encoder.
  static func install(in channel: any Channel) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      let encoder = try pipeline.handler(type: HTTPRequestEncoder.self)
      try pipeline.addHandler(AbsoluteFormHandler(), position: .after(encoder))
    }
  }
}
