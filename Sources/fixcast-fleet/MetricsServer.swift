// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import SystemSupport

/// Serves metrics at `/metrics` over HTTP.
struct MetricsServer: Sendable {
  private let channel: any Channel

  /// Listens on an address.
  ///
  /// Throws an error of NIO if the address cannot be used.
  init(
    _ address: ListenAddress, metrics: @escaping @Sendable () -> String
  ) async throws {
    let host = address.description.prefix { $0 != "]" }.split(separator: "[").last ?? ""
    let name = address.isIPv6 ? String(host) : String(host.prefix { $0 != ":" })
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.pipeline.configureHTTPServerPipeline().flatMapThrowing {
          try channel.pipeline.syncOperations.addHandlers([
            // A client that sends nothing does not hold its connection.
            IdleStateHandler(allTimeout: .seconds(30)), Handler(metrics),
          ])
        }
      }
      .bind(host: name, port: Int(address.port)).get()
  }

  /// Stops listening.
  func stop() async { try? await channel.close() }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let metrics: @Sendable () -> String
    private var path: String?

    init(_ metrics: @escaping @Sendable () -> String) { self.metrics = metrics }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head): path = head.method == .GET ? head.uri : nil
      case .body: break
      case .end: answer(context)
      }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }

    private func answer(_ context: ChannelHandlerContext) {
      let isFound = path == "/metrics"
      let body = context.channel.allocator.buffer(
        string: isFound ? metrics() : "not found; the metrics are at /metrics\n")
      let headers: HTTPHeaders = [
        "Content-Type": isFound ? PrometheusText.contentType : "text/plain",
        "Content-Length": "\(body.readableBytes)",
      ]
      let head = HTTPResponseHead(
        version: .http1_1, status: isFound ? .ok : .notFound, headers: headers)
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
  }
}
