// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
internal import DaemonProtocol
internal import Glibc
internal import LocationServices
internal import Positioning
internal import Synchronization
internal import SystemSupport

/// Accepts connections on a thread of its own.
///
/// A connection of a user who connects too often costs accept(2) and SO_PEERCRED: no channel, no turn
/// of the event loop, nothing read from /proc. So the queue of the socket stays short while somebody
/// connects and closes in a loop.
final class SocketAcceptor: Sendable {
  /// An accepted connection.
  struct Accepted: Sendable {
    /// The socket, which its taker closes.
    var socket: Int32
    /// `nil` where the kernel does not say.
    var peer: PeerCredentials?
    var process: PeerProcess
  }

  /// The pause after an accept that failed for want of descriptors or memory.
  private static let pauseMicroseconds: UInt32 = 50_000
  /// The refused connections that stay open: a client that is still sending would not read the answer
  /// on a closed one.
  private static let maxRefused = 32

  private struct State {
    var isStopped = false
    var isClosed = false
  }

  private let listening: Int32
  private let state = Mutex(State())
  private let isExempt: @Sendable (UInt32) -> Bool
  private let limits: ServerLimits
  private let now: @Sendable () -> MonotonicTime
  private let refused: Atomic<Int> = Atomic(0)

  /// - Parameters:
  ///   - socket: The listening socket, in blocking mode; closed when accepting ends.
  ///   - limits: How often a user may connect.
  ///   - isExempt: Whether a user may connect as often as it likes.
  ///   - now: The present reading of the clock that never jumps.
  init(
    _ socket: Int32, limits: ServerLimits, isExempt: @escaping @Sendable (UInt32) -> Bool,
    now: @escaping @Sendable () -> MonotonicTime
  ) {
    listening = socket
    self.limits = limits
    self.isExempt = isExempt
    self.now = now
  }

  /// Connections refused for coming too fast.
  var refusedCount: Int { refused.load(ordering: .relaxed) }

  /// Begins to accept, until ``stop()``; closes the socket then.
  ///
  /// Returns the number of the error that ended it, 0 after ``stop()``.
  func start(_ take: @escaping @Sendable (Accepted) -> Void) -> Task<Int32, Never> {
    let (ends, end) = AsyncStream.makeStream(of: Int32.self)
    let isStarted = BlockingThread.start { [self] in
      let code = accept(take)
      close()
      end.yield(code)
    }
    if !isStarted {
      close()
      end.yield(EAGAIN)
    }
    return Task { await ends.first { _ in true } ?? 0 }
  }

  private func close() {
    state.withLock { state in
      Glibc.close(listening)
      state.isClosed = true
    }
  }

  /// Ends what ``start(_:)`` began; from any thread.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      // accept(2) on it fails from now on.
      if !state.isClosed { shutdown(listening, Int32(SHUT_RDWR)) }
    }
  }

  private func accept(_ take: (Accepted) -> Void) -> Int32 {
    var connections = RateLimit<UInt32>(
      burst: limits.connectionBurst, perSecond: limits.connectionsPerSecond)
    let answer = HTTPAnswer.fault(.tooOften)
    var refusals: [Int32] = []
    defer { for socket in refusals { Glibc.close(socket) } }
    while true {
      let socket = fixcast_accept(listening)
      guard socket >= 0 else {
        let number = errno
        if state.withLock({ $0.isStopped }) { return 0 }
        switch number {
        case EINTR, ECONNABORTED: break
        case EMFILE, ENFILE, ENOBUFS, ENOMEM:
          for socket in refusals { Glibc.close(socket) }
          refusals = []
          usleep(Self.pauseMicroseconds)
        default: return number
        }
        continue
      }
      let peer = PeerCredentials(socket: socket)
      let userID = peer?.userID ?? .max
      if !isExempt(userID), !connections.take(from: userID, at: now()) {
        refused.add(1, ordering: .relaxed)
        _ = send(socket, answer, answer.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        if refusals.count == Self.maxRefused { Glibc.close(refusals.removeFirst()) }
        // Ends the answer; the kernel discards what the client still sends when the socket is closed.
        shutdown(socket, Int32(SHUT_WR))
        refusals.append(socket)
        continue
      }
      take(Accepted(socket: socket, peer: peer, process: PeerProcess(socket: socket)))
    }
  }
}
