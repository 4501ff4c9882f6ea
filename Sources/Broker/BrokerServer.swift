// SPDX-License-Identifier: Apache-2.0

public import DaemonInterface
internal import Glibc
public import LocationServices
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
public import Positioning
internal import Synchronization

/// Serves programs on a Unix socket what each of them may know: the enforced mode.
///
/// Who asks is the kernel's word, and what it may know the policy's, which is followed for as long
/// as it is connected: what is taken back is not sent any more, whatever waits. The daemon gives it
/// what there is to tell with ``publish(_:)``.
///
/// A connection is the process's that opened it: it is cut, within seconds and before anything is
/// sent, when that has ended, whoever has inherited it. Before Linux 6.5 the kernel does not hold the
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
public final class BrokerServer: Sendable {
  /// What it serves, and by whose word.
  public struct Configuration: Sendable {
    /// The socket.
    public var address: DaemonAddress
    /// Where rules, answers and the log lie.
    public var places: PolicyPlaces
    /// What clients may have.
    public var limits = BrokerLimits()
    /// Users whose programs, run in a shell, need no answer while nobody has said anything.
    public var trustedUsers: Set<UInt32> = [0]
    /// Where the kernel's word on processes is read.
    public var evidence = ProcessEvidence()

    /// Makes a configuration.
    ///
    /// - Parameters:
    ///   - address: The socket.
    ///   - places: Where rules, answers and the log lie.
    public init(address: DaemonAddress = DaemonAddress(), places: PolicyPlaces = PolicyPlaces()) {
      self.address = address
      self.places = places
    }
  }

  private let configuration: Configuration
  private let shell: BrokerShell
  private let refusals: RefusalHandler.Places
  /// The socket, where it was taken and nobody serves on it yet.
  private let claimed = Mutex<Int32?>(nil)

  /// Makes a server; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - configuration: What it serves.
  ///   - now: Reads the clock that fixes are received by.
  ///   - status: How the daemon is, for everybody and for those who may know where the board is.
  ///   - reduced: Takes the middle of the cell that clients of reduced accuracy are told, each time
  ///     that they are told of one; returns at once.
  ///   - report: Takes lines for whoever runs the board.
  public init(
    _ configuration: Configuration, now: @escaping @Sendable () -> MonotonicTime,
    status: @escaping @Sendable () async -> BrokerStatus = { BrokerStatus() },
    reduced: @escaping @Sendable (Coordinate) -> Void = { _ in },
    report: @escaping @Sendable (String) -> Void = { PolicyFiles.reportToStandardError($0) }
  ) {
    self.configuration = configuration
    refusals = RefusalHandler.Places(configuration.limits.lingeringRefusals)
    let places = configuration.places
    shell = BrokerShell(
      core: BrokerCore(
        limits: configuration.limits, ownUser: geteuid(),
        trustedUsers: configuration.trustedUsers, command: { places.command($0) }),
      loop: MultiThreadedEventLoopGroup.singleton.next(),
      policies: ClientPolicies(places: places, report: report), now: now, status: status,
      reduced: reduced, runs: { configuration.evidence.runs($0) })
  }

  /// How many are connected.
  public var connectionCount: Int { shell.connectionCount }
  /// How many have been refused for being too many.
  public var refusedCount: Int { shell.refusedCount }

  /// How much of what clients did is missing in the log of authorization, for coming faster than it
  /// is written.
  public var droppedNoteCount: UInt64 { shell.droppedNoteCount }

  /// Answers from where clients are served, so that somebody can tell whether that still goes on.
  public func answer() async { try? await shell.loop.submit {}.get() }

  /// Answers from where it is decided what clients may know.
  public func answerPolicy() async { await shell.flushPolicies() }

  /// Tells those who may know; from any thread, and returns at once.
  ///
  /// - Parameter event: What there is to tell.
  public func publish(_ event: BrokerEvent) { shell.submit(.said(event)) }

  /// Takes the socket, which nobody else can serve on from then on.
  ///
  /// Whoever starts more than this calls it first: a second daemon then ends before it has touched
  /// what the first one writes. Nobody is served before ``run(whenReady:)``, which has to follow, be
  /// it in a task that has been cancelled, and gives the socket back: until then what root and the
  /// daemon's own user ask waits, and nobody else can connect.
  ///
  /// - Throws: ``BrokerFailure`` where there is no socket to be had.
  public func claim() throws(BrokerFailure) {
    let descriptor = try file.take()
    claimed.withLock { $0 = descriptor }
  }

  private var file: SocketFile { SocketFile(path: configuration.address.socketPath) }

  /// Serves until the task is cancelled.
  ///
  /// - Parameter whenReady: Called when clients can connect.
  /// - Throws: ``BrokerFailure`` where there is no socket to be had.
  public func run(whenReady: @Sendable () -> Void = {}) async throws(BrokerFailure) {
    let taken = claimed.withLock { claimed in
      defer { claimed = nil }
      return claimed
    }
    let descriptor = if let taken { taken } else { try file.take() }
    defer { file.remove() }
    let channel: any Channel
    do { channel = try await accept(on: descriptor) } catch {
      throw .system(call: "listen", path: file.path, reason: Self.reason(error))
    }
    do throws(BrokerFailure) { try file.open() } catch {
      try? await channel.close().get()
      throw error
    }
    whenReady()
    let failure = await withTaskCancellationHandler {
      do {
        try await channel.closeFuture.get()
        return nil as String?
      } catch { return Self.reason(error) }
    } onCancel: {
      channel.close(promise: nil)
    }
    await shell.end()
    if let failure { throw .system(call: "accept", path: file.path, reason: failure) }
  }

  private static func reason(_ error: any Error) -> String {
    (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
  }

  private func accept(on descriptor: Int32) async throws -> any Channel {
    try await ServerBootstrap(group: shell.loop)
      .childChannelInitializer { [self] channel in
        PeerCredentials.read(of: channel).flatMap { self.initialize(channel, $0) }
      }
      .childChannelOption(
        .socketOption(.so_sndbuf), value: SocketOptionValue(configuration.limits.socketBytes)
      )
      .childChannelOption(.maxMessagesPerRead, value: 4)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .withBoundSocket(descriptor).get()
  }

  /// Makes a connection ready, or one that says why there is none.
  private func initialize(
    _ channel: any Channel, _ peer: PeerCredentials
  ) -> EventLoopFuture<Void> {
    switch shell.connect(channel, userID: peer.isKnown ? peer.userID : nil) {
    case .failure(let fault):
      return channel.eventLoop.makeCompletedFuture { try refuse(channel, fault) }
    case .success(let id):
      let evidence = configuration.evidence
      return PeerCredentials.withProcess(of: channel) { held in
        evidence.peer(process: peer.process, user: peer.userID, descriptor: held)
      }.flatMapThrowing { [self] found in
        let doubt = evidence.isHidden(peer.process) ? DaemonFault.hiddenClient : .unknownClient
        try add(to: channel, id, found.map { .success($0) } ?? .failure(doubt))
      }
      .flatMapErrorThrowing { [shell] error in
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
    to channel: any Channel, _ id: BrokerCore.ConnectionID,
    _ peer: Result<PeerEvidence, DaemonFault>
  ) throws {
    let limits = configuration.limits
    let gauge = InboundGauge(limitBytes: limits.headBytes)
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
      BrokerChannelHandler(id: id, peer: peer, limits: limits, gauge: gauge) { [shell] event in
        shell.handle(event)
      })
  }
}
