// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
internal import DaemonProtocol
internal import Glibc
internal import LocationServices
internal import NIOCore
internal import Positioning
internal import Synchronization
internal import SystemSupport

/// Accepts connections on its own thread.
///
/// To refuse a user who connects too often, the thread calls only accept(2) and reads SO_PEERCRED.
/// It creates no channel, does not use the event loop, and does not read /proc. For TCP, it asks the
/// kernel for the socket's owner, before a byte of the client is read. The socket's queue
/// therefore stays short, even if a process opens and closes connections in a loop. Only accepted
/// connections use the event loop; while too many of them wait for it, the thread waits, too.
final class SocketAcceptor: Sendable {
  /// An accepted connection.
  struct Accepted: Sendable {
    /// The socket; the function that receives this value must close it.
    var socket: Int32
    /// The peer's user and process; `nil` if the kernel does not provide them.
    var peer: PeerCredentials?
    var process: PeerProcess
    /// The client of a TCP connection; `nil` for Unix sockets.
    var identified: PeerEvidence?
    /// The owner of a browser's connection; `nil` for other clients.
    var browser: ConnectionOwner?
  }

  /// The pause after accept(2) has failed because there are too few descriptors or too little
  /// memory.
  private static let pauseMicroseconds: UInt32 = 50_000
  /// Maximum number of refused connections that are kept open, so that a client that is still
  /// sending can read the response.
  private static let maxRefused = 32
  /// Maximum number of accepted connections that wait for the event loop.
  ///
  /// The next connection is accepted, and then the thread waits.
  static let maxWaiting = 16

  private struct State {
    var isStopped = false
    var isClosed = false
  }

  private let listening: Int32
  private let loop: any EventLoop
  private let identify: (@Sendable (Int32) -> PeerEvidence?)?
  private let findBrowser: (@Sendable (Int32) -> ConnectionOwner)?
  private let refusal: [UInt8]
  private let state = Mutex(State())
  private let isExempt: @Sendable (UInt32) -> Bool
  private let limits: ServerLimits
  private let now: @Sendable () -> MonotonicTime
  private let refused: Atomic<Int> = Atomic(0)
  private let waiting: Atomic<Int> = Atomic(0)

  /// Creates an acceptor for a listening socket.
  ///
  /// - Parameters:
  ///   - socket: The listening socket, in blocking mode. The acceptor closes the socket at the end
  ///     of its thread.
  ///   - loop: The event loop that takes accepted connections.
  ///   - limits: The limits on new connections.
  ///   - isExempt: Whether a user is exempt from the limits.
  ///   - refusal: The response to refused connections.
  ///   - identify: Identifies the client of a TCP connection; `nil` for a Unix socket. A connection
  ///     without an identity is closed.
  ///   - findBrowser: Finds the owner of a browser's connection, whose limits apply; `nil` for
  ///     other clients.
  ///   - now: The monotonic clock.
  init(
    _ socket: Int32, loop: any EventLoop, limits: ServerLimits,
    isExempt: @escaping @Sendable (UInt32) -> Bool,
    refusal: [UInt8] = HTTPAnswer.fault(.tooOften),
    identify: (@Sendable (Int32) -> PeerEvidence?)? = nil,
    findBrowser: (@Sendable (Int32) -> ConnectionOwner)? = nil,
    now: @escaping @Sendable () -> MonotonicTime
  ) {
    self.refusal = refusal
    self.identify = identify
    self.findBrowser = findBrowser
    listening = socket
    self.loop = loop
    self.limits = limits
    self.isExempt = isExempt
    self.now = now
  }

  /// Number of connections refused because their user connected too often or is unknown.
  var refusedCount: Int { refused.load(ordering: .relaxed) }

  /// Accepts connections until ``stop()`` is called or an error occurs, and then closes the socket.
  ///
  /// Calls `take` on the event loop.
  ///
  /// Returns a task whose value is the `errno` of the error, or 0 after ``stop()``.
  func start(_ take: @escaping @Sendable (Accepted) -> Void) -> Task<Int32, Never> {
    let (codes, continuation) = AsyncStream.makeStream(of: Int32.self)
    let isStarted = BlockingThread.start { [self] in
      let code = accept(take)
      close()
      continuation.yield(code)
    }
    if !isStarted {
      close()
      continuation.yield(EAGAIN)
    }
    return Task { await codes.first { _ in true } ?? 0 }
  }

  private func close() {
    state.withLock { state in
      Glibc.close(listening)
      state.isClosed = true
    }
  }

  /// Stops accepting connections.
  ///
  /// Can be called from any thread.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      // After this call, accept(2) fails.
      if !state.isClosed { shutdown(listening, Int32(SHUT_RDWR)) }
    }
  }

  private func accept(_ take: @escaping @Sendable (Accepted) -> Void) -> Int32 {
    var connections = RateLimit<ConnectionOwner>(
      burst: limits.connectionBurst, perSecond: limits.connectionsPerSecond)
    var refusals: [Int32] = []
    defer { for socket in refusals { Glibc.close(socket) } }
    while true {
      let socket = fixcast_accept(listening)
      guard socket >= 0 else {
        let number = errno
        if state.withLock({ $0.isStopped }) { return 0 }
        switch number {
        // accept(2): errors of the network or a firewall concern only one connection.
        case EINTR, ECONNABORTED, EPROTO, EPERM, ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH,
          ENONET, ENOPROTOOPT, EOPNOTSUPP:
          break
        case EMFILE, ENFILE, ENOBUFS, ENOMEM:
          for socket in refusals { Glibc.close(socket) }
          refusals = []
          usleep(Self.pauseMicroseconds)
        default: return number
        }
        continue
      }
      let peer = PeerCredentials(socket: socket)
      let identified = identify?(socket)
      if identify != nil, identified == nil {
        refused.add(1, ordering: .relaxed)
        Glibc.close(socket)
        continue
      }
      let browser = findBrowser?(socket)
      // The units of a user share one rate.
      let owner =
        browser
        ?? ConnectionOwner(userID: identified?.identity.userID ?? peer?.userID ?? .max)
      if !isExempt(owner.userID), !connections.take(from: owner, at: now()) {
        refused.add(1, ordering: .relaxed)
        _ = send(socket, refusal, refusal.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        if refusals.count == Self.maxRefused { Glibc.close(refusals.removeFirst()) }
        // Mark the end of the response. The kernel discards the client's input when the socket is
        // closed.
        shutdown(socket, Int32(SHUT_WR))
        refusals.append(socket)
        continue
      }
      // A flood from many addresses has many owners, so the limits of an owner do not bound it. Further
      // connections stay in the kernel's queue.
      if waiting.load(ordering: .relaxed) >= Self.maxWaiting { try? loop.submit {}.wait() }
      let process = identify == nil ? PeerProcess(socket: socket) : PeerProcess()
      let accepted = Accepted(
        socket: socket, peer: peer, process: process, identified: identified, browser: browser)
      waiting.add(1, ordering: .relaxed)
      loop.execute {
        self.waiting.subtract(1, ordering: .relaxed)
        take(accepted)
      }
    }
  }
}
