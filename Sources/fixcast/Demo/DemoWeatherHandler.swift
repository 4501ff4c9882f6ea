// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import NIOCore
import NIOHTTP1
import Positioning

/// Answers one HTTP request with simulated weather, then closes the connection.
final class DemoWeatherHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let now: @Sendable () -> UTCTime
  private var head: HTTPRequestHead?

  init(now: @escaping @Sendable () -> UTCTime) { self.now = now }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): self.head = head
    case .body: break
    case .end:
      guard let head else { return }
      self.head = nil
      let (status, body) = Self.answer(to: head, at: now())
      send(status, body, context)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  private static func answer(
    to head: HTTPRequestHead, at time: UTCTime
  ) -> (HTTPResponseStatus, [UInt8]) {
    guard head.method == .GET, let url = URLComponents(string: head.uri),
      url.path == "/v1/forecast"
    else { return (.notFound, []) }
    var query: [String: String] = [:]
    for item in url.queryItems ?? [] { query[item.name] = item.value }
    do throws(DemoWeatherReply.Refusal) {
      let reply = try DemoWeatherReply(query: query, at: time)
      return (.ok, (try? reply.json()) ?? [])
    } catch {
      return (.badRequest, (try? Array(JSONEncoder().encode(error))) ?? [])
    }
  }

  private func send(_ status: HTTPResponseStatus, _ body: [UInt8], _ context: ChannelHandlerContext)
  {
    let headers: HTTPHeaders = [
      "Content-Type": "application/json; charset=utf-8", "Content-Length": "\(body.count)",
      "Connection": "close",
    ]
    let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
      channel.close(promise: nil)
    }
  }
}
