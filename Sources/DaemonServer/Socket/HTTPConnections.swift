// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import Glibc
internal import LocationServices
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import Positioning

/// Creates the channels of HTTP connections, and passes their requests to the shell.
struct HTTPConnections: Sendable {
  /// The part of the API that a connection serves.
  enum Service {
    /// Everything, on the Unix socket.
    case socket
    /// The metrics, on TCP.
    case metrics
    /// The status page and the API, on TCP, for browsers with a session.
    case web
  }

  let shell: ServerShell
  let limits: ServerLimits
  let evidence: ProcessEvidence
  let refusals: RefusalHandler.LingerSlots
  let gate: WebGate
  let now: @Sendable () -> MonotonicTime

  /// Creates the server of metrics on TCP, which listens nowhere yet.
  func metricsServer(
    groups: ControlGroupTree, report: @escaping @Sendable (String) -> Void
  ) -> FeedServer {
    FeedServer(
      "metrics", limits: limits, groups: groups,
      makeAcceptor: { acceptor($0, identify: $1) },
      admit: { admit($0, .metrics) }, counts: { nil }, now: now, report: report)
  }

  /// Creates the server of the status page on TCP, which listens nowhere yet.
  func webServer(
    groups: ControlGroupTree, report: @escaping @Sendable (String) -> Void
  ) -> WebServer {
    WebServer(
      gate,
      FeedServer(
        "web", limits: limits, groups: nil,
        makeAcceptor: { acceptor($0, identify: $1) { ConnectionOwner(ofBrowser: $0, groups) } },
        admit: { admit($0, .web) }, counts: { nil }, now: now, report: report),
      now: now, report: report)
  }

  /// Creates an acceptor for a listening socket; `identify` is `nil` for a Unix socket.
  func acceptor(
    _ socket: Int32, identify: (@Sendable (Int32) -> PeerEvidence?)? = nil,
    findBrowser: (@Sendable (Int32) -> ConnectionOwner)? = nil
  ) -> SocketAcceptor {
    SocketAcceptor(
      socket, loop: shell.loop, limits: limits,
      isExempt: { [ownUser = geteuid()] in ConnectionTable.isExempt($0, ownUser: ownUser) },
      identify: identify, findBrowser: findBrowser, now: now)
  }

  /// Creates the channel of an accepted socket.
  ///
  /// Must be called on the event loop.
  func admit(_ accepted: SocketAcceptor.Accepted, _ service: Service = .socket) {
    _ = ClientBootstrap(group: shell.loop)
      .channelOption(.socketOption(.so_sndbuf), value: SocketOptionValue(limits.socketBytes))
      .channelOption(.maxMessagesPerRead, value: 4)
      .channelOption(.allowRemoteHalfClosure, value: true)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try initialize(channel, accepted, service) }
      }
      .withConnectedSocket(accepted.socket)
  }

  /// Sets up the channel's handlers, or refuses the connection.
  private func initialize(
    _ channel: any Channel, _ accepted: SocketAcceptor.Accepted, _ service: Service
  ) throws {
    if service == .web, let tls = gate.settings.tls {
      try channel.pipeline.syncOperations.addHandlers([
        AbortHandler(), NIOSSLServerHandler(context: tls),
      ])
    }
    let ofProcess = accepted.peer.flatMap {
      evidence.peer(
        process: $0.process, user: $0.userID, descriptor: accepted.process.descriptor)
    }
    let identified = accepted.identified ?? ofProcess
    let userID = accepted.identified?.identity.userID ?? accepted.peer?.userID
    let owner =
      accepted.browser
      ?? userID.map {
        ConnectionOwner(userID: $0, systemUnit: identified?.identity.systemUnit)
      }
    // The end of a process is known only for a Unix socket.
    let token = accepted.identified == nil ? identified?.process : nil
    let peer = ServerPeer(channel: channel, process: accepted.process, token: token)
    switch shell.connect(peer, owner: owner) {
    case .failure(let fault): try refuse(channel, fault)
    case .success(let id):
      var peer = Result<PeerEvidence, DaemonFault>.failure(.unknownClient)
      if let identified {
        peer = .success(identified)
      } else if let process = accepted.peer?.process, evidence.isHidden(process) {
        peer = .failure(.hiddenClient)
      }
      try add(to: channel, id, peer, service)
    }
  }

  private func refuse(_ channel: any Channel, _ fault: DaemonFault) throws {
    try channel.pipeline.syncOperations.addHandler(
      RefusalHandler(fault, refusals, lingerSeconds: limits.lingerSeconds))
  }

  private func add(
    to channel: any Channel, _ id: ServerCore.ConnectionID,
    _ peer: Result<PeerEvidence, DaemonFault>, _ service: Service
  ) throws {
    let sizeLimiter = RequestSizeLimiter(limitBytes: limits.headBytes)
    var decoder = NIOHTTPDecoderLimitConfiguration()
    decoder.maxHeaderFieldSize = limits.headBytes
    decoder.maxHeaderListSize = limits.headBytes
    decoder.maxHeaderFieldCount = 64
    let operations = channel.pipeline.syncOperations
    try operations.addHandler(sizeLimiter)
    try operations.addHandler(
      ByteToMessageHandler(
        HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: decoder)))
    try operations.addHandler(
      ServerChannelHandler(
        id: id, peer: peer, limits: limits, service: service, gate: gate, sizeLimiter: sizeLimiter
      ) { [shell] event in shell.handle(event) })
  }
}
