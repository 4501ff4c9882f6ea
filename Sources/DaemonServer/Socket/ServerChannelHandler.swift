// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import NIOCore
internal import NIOHTTP1

/// Reads the single request of a connection within size limits.
final class ServerChannelHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart

  private let id: ServerCore.ConnectionID
  /// The client, or the reason why the client cannot be identified.
  ///
  /// The reason is sent after the request has been read, because a client that is still sending
  /// would not read the response.
  private let peer: Result<PeerEvidence, DaemonFault>
  private let limits: ServerLimits
  private let service: HTTPConnections.Service
  private let gate: WebGate
  private let handle: @Sendable (ServerCore.Event) -> Void
  private let sizeLimiter: RequestSizeLimiter
  private var head: HTTPRequestHead?
  private var body: [UInt8] = []
  private var isFinished = false

  init(
    id: ServerCore.ConnectionID, peer: Result<PeerEvidence, DaemonFault>, limits: ServerLimits,
    service: HTTPConnections.Service, gate: WebGate, sizeLimiter: RequestSizeLimiter,
    handle: @escaping @Sendable (ServerCore.Event) -> Void
  ) {
    self.id = id
    self.peer = peer
    self.limits = limits
    self.service = service
    self.gate = gate
    self.sizeLimiter = sizeLimiter
    self.handle = handle
  }

  func channelActive(context: ChannelHandlerContext) {
    handle(.connected(id))
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // Bytes after the request are ignored.
    guard !isFinished else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      self.head = head
      sizeLimiter.allow(limits.bodyBytes)
    case .body(let piece):
      guard body.count + piece.readableBytes <= limits.bodyBytes else {
        return fail(.tooLarge(isHead: false))
      }
      body += piece.readableBytesView
    case .end: finish(host: context.localAddress?.ipAddress)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case let error as RequestSizeLimiter.LimitExceeded where !isFinished:
      fail(.tooLarge(isHead: error.limitBytes <= limits.headBytes))
    case let error as HTTPParserError where !isFinished:
      fail(
        error == .headerOverflow
          ? .tooLarge(isHead: true) : .malformed("this is not a valid HTTP request"))
    // Close the connection after invalid input that follows the request, or after a connection
    // error.
    default: context.close(promise: nil)
    }
  }

  /// Handles a half-close by the client.
  ///
  /// A client that closes its side after a complete request, as `nc -N` does, still gets the
  /// response. The exit of the client process is detected separately. An incomplete request fails.
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed, !isFinished {
      if hasBegun { fail(.malformed("the request is incomplete")) } else { end(context) }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    isFinished = true
    context.fireChannelInactive()
  }

  /// Handles the complete request; `host` is the address to which the client has connected.
  private func finish(host: String?) {
    guard let head else { return }
    isFinished = true
    do throws(DaemonFault) {
      switch try route(head, host: host) {
      case .respond(let pieces): handle(.web(.answered(id, pieces)))
      case .request(let request, let client, let session):
        handle(.requested(id, request, client, session))
      }
    } catch {
      handle(.failed(id, error))
    }
    self.head = nil
    body = []
  }

  private func route(_ head: HTTPRequestHead, host: String?) throws(DaemonFault) -> WebGate.Route {
    switch service {
    case .socket:
      try BrowserGuard.check(head)
      return try gate.route(head, body, from: .socket(peer))
    case .metrics:
      try BrowserGuard.check(head)
      guard head.uri.prefix(while: { $0 != "?" }) == DaemonRequest.metricsPath else {
        throw .onlyMetrics
      }
      let request = try DaemonRequest(method: head.method.rawValue, target: head.uri, body: body)
      return .request(request, try peer.get(), nil)
    case .web:
      // No name can resolve to another address if the host is an address.
      let address = host.map { $0.contains(":") ? "[\($0)]" : $0 }
      try BrowserGuard.check(head, names: gate.settings.hosts.union(address.map { [$0] } ?? []))
      return try gate.route(head, body, from: .tcp)
    }
  }

  /// Whether any part of a request was received.
  private var hasBegun: Bool { sizeLimiter.byteCount > 0 }

  private func end(_ context: ChannelHandlerContext) {
    isFinished = true
    context.close(promise: nil)
  }

  private func fail(_ fault: DaemonFault) {
    isFinished = true
    handle(.failed(id, fault))
  }
}

/// Limits the input size before parsing, so that an endless request head does not fill the memory.
final class RequestSizeLimiter: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// The request exceeds the limit.
  struct LimitExceeded: Error {
    let limitBytes: Int
  }

  private var limitBytes: Int
  /// The number of bytes received.
  private(set) var byteCount = 0
  private var isFinished = false

  init(limitBytes: Int) { self.limitBytes = limitBytes }

  /// Raises the limit by a number of bytes.
  func allow(_ bytes: Int) { limitBytes += bytes }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    byteCount += unwrapInboundIn(data).readableBytes
    if byteCount <= limitBytes { return context.fireChannelRead(data) }
    // Report the limit once, so that the client gets an error response. Disconnect a client that
    // keeps sending.
    if isFinished {
      if byteCount > 64 * limitBytes { context.close(promise: nil) }
      return
    }
    isFinished = true
    context.fireErrorCaught(LimitExceeded(limitBytes: limitBytes))
  }
}
