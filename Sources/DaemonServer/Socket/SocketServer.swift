// SPDX-License-Identifier: Apache-2.0

package import DaemonProtocol
internal import Glibc
package import LocationServices
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
package import Positioning
internal import Synchronization

/// Serves programs on a Unix socket what each of them may know: the enforced mode.
///
/// Who asks is the kernel's word, and what it may know the policy's, which is followed for as long
/// as it is connected: what is taken back is not sent any more, whatever waits. The daemon gives it
/// what there is to tell with ``publish(_:)``.
///
/// A connection belongs to the process that opened it. When that process has ended nothing more is sent,
/// even where another process has inherited the connection. Before Linux 6.5 the kernel does not hold the
/// process for the time that it takes to find out who it is; what remains is that a process ends in
/// that very moment and another of the same user is given its number.
///
/// A client that ends its own side once it has asked, as `nc -N` and `socat` do, is answered; a
/// stream goes on until it closes or ends. That is no place held for nothing: a program that is gone
/// is told from one that only listens, and one that reads nothing is given up as any other.
///
/// It speaks HTTP, one request a connection, by the parser alone: what is with the socket and what
/// is with the kernel has to be known for each write, and neither a web framework nor its router
/// would be left to do anything.
package final class SocketServer: Sendable {
  /// What it serves, and by whose word.
  package struct Configuration: Sendable {
    /// The socket.
    package var address: DaemonAddress
    /// Where rules, answers and the log lie.
    package var places: PolicyPaths
    /// What clients may have.
    package var limits = ServerLimits()
    /// Users whose programs, run in a shell, need no answer while nobody has said anything.
    package var trustedUsers: Set<UInt32> = [0]
    /// Where the kernel's word on processes is read.
    package var evidence = ProcessEvidence()

    /// Makes a configuration.
    package init(address: DaemonAddress = DaemonAddress(), places: PolicyPaths = PolicyPaths()) {
      self.address = address
      self.places = places
    }
  }

  private let configuration: Configuration
  private let shell: ServerShell
  private let refusals: RefusalHandler.Places
  /// The socket, where it was taken and nobody serves on it yet.
  private let claimed = Mutex<Int32?>(nil)
  private let acceptor = Mutex<SocketAcceptor?>(nil)
  private let now: @Sendable () -> MonotonicTime

  /// Makes a server; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - configuration: What it serves.
  ///   - now: Reads the clock that fixes are received by.
  ///   - status: How the daemon is, for everybody and for those who may know where the board is.
  ///   - reduced: Takes the middle of the cell that clients of reduced accuracy are told, each time
  ///     that they are told of one; returns at once.
  ///   - report: Takes lines for whoever runs the board.
  package init(
    _ configuration: Configuration, now: @escaping @Sendable () -> MonotonicTime,
    status: @escaping @Sendable () async -> ServerStatus = { ServerStatus() },
    reduced: @escaping @Sendable (Coordinate) -> Void = { _ in },
    report: @escaping @Sendable (String) -> Void = { PolicyFiles.reportToStandardError($0) }
  ) {
    self.configuration = configuration
    self.now = now
    refusals = RefusalHandler.Places(configuration.limits.lingeringRefusals)
    let places = configuration.places
    shell = ServerShell(
      core: ServerCore(
        limits: configuration.limits, ownUser: geteuid(),
        trustedUsers: configuration.trustedUsers, command: { places.command($0) }),
      loop: MultiThreadedEventLoopGroup.singleton.next(),
      policies: ClientPolicies(places: places, report: report), now: now, status: status,
      reduced: reduced, runs: { configuration.evidence.runs($0) })
  }

  /// How many are connected.
  package var connectionCount: Int { shell.connectionCount }
  /// Connections that have been refused for being too many, or for coming too fast.
  package var refusedCount: Int {
    shell.refusedCount + (acceptor.withLock { $0 }?.refusedCount ?? 0)
  }

  /// How much of what clients did is missing in the log of authorization, for coming faster than it
  /// is written.
  package var droppedNoteCount: UInt64 { shell.droppedNoteCount }

  /// Answers from where clients are served, so that somebody can tell whether that still goes on.
  package func ping() async { try? await shell.loop.submit {}.get() }

  /// Answers from where it is decided what clients may know.
  package func pingPolicy() async { await shell.flushPolicies() }

  /// Tells those who may know; from any thread, and returns at once.
  package func publish(_ event: ServerEvent) { shell.submit(.said(event)) }

  /// Takes the socket, which nobody else can serve on from then on.
  ///
  /// Whoever starts more than this calls it first: a second daemon then ends before it has touched
  /// what the first one writes. Nobody is served before ``run(whenReady:)``, which has to follow, be
  /// it in a task that has been cancelled, and gives the socket back: until then what root and the
  /// daemon's own user ask waits, and nobody else can connect.
  ///
  /// - Throws: ``ServerFailure`` where there is no socket to be had.
  package func claim() throws(ServerFailure) {
    let descriptor = try file.take()
    claimed.withLock { $0 = descriptor }
  }

  private var file: SocketFile { SocketFile(path: configuration.address.socketPath) }

  /// Serves until the task is cancelled.
  ///
  /// Throws ``ServerFailure`` where there is no socket to be had.
  package func run(whenReady: @Sendable () -> Void = {}) async throws(ServerFailure) {
    let taken = claimed.withLock { claimed in
      defer { claimed = nil }
      return claimed
    }
    let descriptor = if let taken { taken } else { try file.take() }
    defer { file.remove() }
    let acceptor = SocketAcceptor(
      descriptor, limits: configuration.limits,
      isExempt: { [ownUser = geteuid()] in ServerCore.isExempt($0, ownUser: ownUser) }, now: now)
    self.acceptor.withLock { $0 = acceptor }
    let accepting = acceptor.start { [self] accepted in
      shell.loop.execute { self.admit(accepted) }
    }
    do throws(ServerFailure) { try file.open() } catch {
      acceptor.stop()
      _ = await accepting.value
      throw error
    }
    whenReady()
    let number = await withTaskCancellationHandler {
      await accepting.value
    } onCancel: {
      acceptor.stop()
    }
    // Lets the event loop admit the last accepted connection, so that it is closed with the others.
    await ping()
    await shell.end()
    if number != 0 {
      throw .system(call: "accept", path: file.path, reason: String(cString: strerror(number)))
    }
  }

  /// Makes an accepted socket a channel; on the event loop.
  private func admit(_ accepted: SocketAcceptor.Accepted) {
    _ = ClientBootstrap(group: shell.loop)
      .channelOption(
        .socketOption(.so_sndbuf), value: SocketOptionValue(configuration.limits.socketBytes)
      )
      .channelOption(.maxMessagesPerRead, value: 4)
      .channelOption(.allowRemoteHalfClosure, value: true)
      .channelInitializer { [self] channel in
        channel.eventLoop.makeCompletedFuture { try initialize(channel, accepted) }
      }
      .withConnectedSocket(accepted.socket)
  }

  /// Makes a connection ready, or one that says why there is none.
  private func initialize(_ channel: any Channel, _ accepted: SocketAcceptor.Accepted) throws {
    let evidence = configuration.evidence
    let found = accepted.peer.flatMap {
      evidence.peer(
        process: $0.process, user: $0.userID, descriptor: accepted.process.descriptor)
    }
    let owner = accepted.peer.map {
      ConnectionOwner(userID: $0.userID, systemUnit: found?.identity.systemUnit)
    }
    let peer = ServerShell.Peer(
      channel: channel, process: accepted.process, token: found?.process)
    switch shell.connect(peer, owner: owner) {
    case .failure(let fault): try refuse(channel, fault)
    case .success(let id):
      var peer = Result<PeerEvidence, DaemonFault>.failure(.unknownClient)
      if let found {
        peer = .success(found)
      } else if let process = accepted.peer?.process, evidence.isHidden(process) {
        peer = .failure(.hiddenClient)
      }
      do { try add(to: channel, id, peer) } catch {
        shell.handle(.closed(id))
        throw error
      }
    }
  }

  private func refuse(_ channel: any Channel, _ fault: DaemonFault) throws {
    try channel.pipeline.syncOperations.addHandler(
      RefusalHandler(fault, refusals, lingerSeconds: configuration.limits.lingerSeconds))
  }

  private func add(
    to channel: any Channel, _ id: ServerCore.ConnectionID,
    _ peer: Result<PeerEvidence, DaemonFault>
  ) throws {
    let limits = configuration.limits
    let gauge = RequestSizeLimiter(limitBytes: limits.headBytes)
    var decoder = NIOHTTPDecoderLimitConfiguration()
    decoder.maxHeaderFieldSize = limits.headBytes
    decoder.maxHeaderListSize = limits.headBytes
    decoder.maxHeaderFieldCount = 64
    let operations = channel.pipeline.syncOperations
    try operations.addHandler(gauge)
    try operations.addHandler(
      ByteToMessageHandler(
        HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: decoder)))
    try operations.addHandler(
      ServerChannelHandler(id: id, peer: peer, limits: limits, gauge: gauge) { [shell] event in
        shell.handle(event)
      })
  }
}
