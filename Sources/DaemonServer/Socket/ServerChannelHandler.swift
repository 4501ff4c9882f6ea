// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import NIOCore
internal import NIOHTTP1

/// Reads the one request of a connection, within bounds, and tells of its end.
final class ServerChannelHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart

  private let id: ServerCore.ConnectionID
  /// Who it is; or why that is not known, which is told when the request is read, since whoever is
  /// still sending would not read it.
  private let peer: Result<PeerEvidence, DaemonFault>
  private let limits: ServerLimits
  private let handle: @Sendable (ServerCore.Event) -> Void
  private let gauge: RequestSizeLimiter
  private var head: HTTPRequestHead?
  private var body: [UInt8] = []
  private var isFinished = false

  init(
    id: ServerCore.ConnectionID, peer: Result<PeerEvidence, DaemonFault>, limits: ServerLimits,
    gauge: RequestSizeLimiter, handle: @escaping @Sendable (ServerCore.Event) -> Void
  ) {
    self.id = id
    self.peer = peer
    self.limits = limits
    self.gauge = gauge
    self.handle = handle
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // What comes after the request is nobody's.
    guard !isFinished else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      self.head = head
      gauge.allow(limits.bodyBytes)
    case .body(let piece):
      guard body.count + piece.readableBytes <= limits.bodyBytes else {
        return fail(.tooLarge(isHead: false))
      }
      body += piece.readableBytesView
    case .end: finish()
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case let error as RequestSizeLimiter.TooMuch where !isFinished:
      fail(.tooLarge(isHead: error.limitBytes <= limits.headBytes))
    case let error as HTTPParserError where !isFinished:
      fail(error == .headerOverflow ? .tooLarge(isHead: true) : .malformed("this is no HTTP"))
    // A request that cannot be read, after one that could; or a connection that broke.
    default: context.close(promise: nil)
    }
  }

  /// The client sends no more.
  ///
  /// Whoever has said all there is to say may still be told the answer, as by `nc -N`: the kernel
  /// tells the end of what is sent from the end of the program. Whoever has not said it never will.
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed, !isFinished {
      if hasBegun { fail(.malformed("the request ends in the middle")) } else { end(context) }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    isFinished = true
    handle(.closed(id))
    context.fireChannelInactive()
  }

  private func finish() {
    guard let head else { return }
    isFinished = true
    do throws(DaemonFault) {
      try BrowserGuard.check(head)
      let request = try DaemonRequest(
        method: head.method.rawValue, target: head.uri, body: body)
      handle(.requested(id, request, try peer.get()))
    } catch {
      handle(.failed(id, error))
    }
    self.head = nil
    body = []
  }

  /// Whether any of a request has come.
  private var hasBegun: Bool { gauge.byteCount > 0 }

  private func end(_ context: ChannelHandlerContext) {
    isFinished = true
    context.close(promise: nil)
  }

  private func fail(_ fault: DaemonFault) {
    isFinished = true
    handle(.failed(id, fault))
  }
}

/// Counts what comes in before it is looked at: a head that never ends is not collected.
final class RequestSizeLimiter: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// More came than is read.
  struct TooMuch: Error {
    let limitBytes: Int
  }

  private var limitBytes: Int
  /// How much has come.
  private(set) var byteCount = 0
  private var isFinished = false

  init(limitBytes: Int) { self.limitBytes = limitBytes }

  /// Lets that much more in.
  func allow(_ bytes: Int) { limitBytes += bytes }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    byteCount += unwrapInboundIn(data).readableBytes
    if byteCount <= limitBytes { return context.fireChannelRead(data) }
    // The first time there may be an answer; whoever goes on is not read from to no end.
    if isFinished {
      if byteCount > 64 * limitBytes { context.close(promise: nil) }
      return
    }
    isFinished = true
    context.fireErrorCaught(TooMuch(limitBytes: limitBytes))
  }
}
