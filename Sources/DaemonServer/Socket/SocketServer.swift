// SPDX-License-Identifier: Apache-2.0

package import DaemonProtocol
internal import Glibc
package import LocationServices
internal import NIOCore
internal import NIOPosix
package import Positioning
internal import Synchronization
internal import SystemSupport

/// The daemon's server on a Unix socket, which enforces each client's authorization.
///
/// The kernel identifies each client. The policy authorizes each client while it is connected.
/// When access is withdrawn, queued locations are discarded. The daemon publishes events with
/// ``publish(_:)``.
///
/// A connection belongs to the process that opened it. After this process has exited, no more data
/// is sent, even if another process has inherited the connection. On kernels older than Linux 6.5,
/// there is a race while the client is being identified: the process may exit, and another process
/// of the same user may get its process number.
///
/// A client that closes its own side after the request, as `nc -N` and `socat` do, still gets its
/// response. A stream continues until the client closes the connection or its process exits.
///
/// The protocol is HTTP with one request per connection. The server uses NIO's HTTP parser, but no
/// web framework, because the core must know which writes the kernel has accepted.
package final class SocketServer: Sendable {
  /// The configuration of a server.
  package struct Configuration: Sendable {
    package var address: DaemonAddress
    /// The paths of the rules, the decisions and the audit log.
    package var policyPaths: PolicyPaths
    package var limits = ServerLimits()
    /// Users whose programs, if run in a shell, are authorized unless a rule or decision applies.
    package var trustedUsers: Set<UInt32> = [0]
    /// Reads the identity of processes from the kernel.
    package var evidence = ProcessEvidence()
    /// The version in the greeting of gpsd clients.
    package var gpsdVersion = GPSDVersion.unknown

    package init(address: DaemonAddress = DaemonAddress(), policyPaths: PolicyPaths = PolicyPaths())
    {
      self.address = address
      self.policyPaths = policyPaths
    }
  }

  private let configuration: Configuration
  private let shell: ServerShell
  private let connections: HTTPConnections
  /// Listens for clients of gpsd.
  package let gpsd: FeedServer
  /// Listens for clients of NMEA 0183.
  package let nmea: FeedServer
  /// Listens for clients of the metrics on TCP.
  package let metrics: FeedServer
  /// Listens for browsers on TCP.
  package let web: WebServer
  /// The store of the policy for clients and for the daemon's own sinks.
  package let policyStore: PolicyStore
  /// The listening socket between ``claim()`` and ``run(whenReady:)``; otherwise `nil`.
  private let claimed = Mutex<Int32?>(nil)
  private let acceptor = Mutex<SocketAcceptor?>(nil)

  /// Creates a server without opening a socket.
  ///
  /// Reads the sessions of the status page.
  ///
  /// - Parameters:
  ///   - configuration: The configuration.
  ///   - now: The clock that timestamps fixes.
  ///   - utcNow: The wall clock; returns `nil` while the time is unknown.
  ///   - status: Returns the daemon's status.
  ///   - metrics: Returns the daemon's status as metrics for Prometheus.
  ///   - reduced: Called with the centre of the cell for each new reduced location. Must return at
  ///     once.
  ///   - sentencesWanted: Called when the first client starts to read a receiver's sentences, and
  ///     when the last one stops. Must return at once.
  ///   - nearestPlaces: Returns the nearest places of a coordinate as a `PLACES` object. Called on any
  ///     thread.
  ///   - report: Writes a line about authorization to the log.
  ///   - reportListening: Writes a line about a listening socket to the log.
  package init(
    _ configuration: Configuration, now: @escaping @Sendable () -> MonotonicTime,
    utcNow: @escaping @Sendable () -> UTCTime? = { nil },
    status: @escaping @Sendable () async -> ServerStatus = { ServerStatus() },
    metrics: @escaping @Sendable () async -> ServerStatus = { ServerStatus() },
    reduced: @escaping @Sendable (Coordinate) -> Void = { _ in },
    sentencesWanted: @escaping @Sendable (Bool) -> Void = { _ in },
    places nearestPlaces: @escaping @Sendable (Coordinate) -> [UInt8] = { _ in [] },
    report: @escaping @Sendable (String) -> Void = { PolicyFiles.reportToStandardError($0) },
    reportListening: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.configuration = configuration
    let policyPaths = configuration.policyPaths
    policyStore = PolicyStore(enforcing: policyPaths, report: report)
    shell = ServerShell(
      core: ServerCore(
        limits: configuration.limits, ownUser: geteuid(),
        trustedUsers: configuration.trustedUsers, gpsdVersion: configuration.gpsdVersion,
        command: { policyPaths.command($0) },
        words: { policyPaths.words($0) }),
      loop: MultiThreadedEventLoopGroup.singleton.next(),
      policyStore: policyStore, now: now, status: status,
      metrics: metrics, reduced: reduced, runs: { configuration.evidence.isRunning($0) },
      sentencesWanted: sentencesWanted, places: nearestPlaces)
    let feeds = FeedConnections(
      shell: shell, limits: configuration.limits, evidence: configuration.evidence, now: now,
      utcNow: utcNow)
    connections = HTTPConnections(
      shell: shell, limits: configuration.limits, evidence: configuration.evidence,
      refusals: RefusalHandler.LingerSlots(configuration.limits.lingeringRefusals),
      gate: WebGate(
        file: WebSessionFile(
          path: "\(policyPaths.stateFolder)/web-sessions.json", report: reportListening),
        now: now, utcNow: { SystemClock.utcNow() },
        ended: { [shell] in shell.submit(.web(.sessionEnded($0))) },
        report: reportListening), now: now)
    let groups = ControlGroupTree()
    gpsd = feeds.server(.gpsd, groups: groups, report: reportListening)
    nmea = feeds.server(.nmea, groups: groups, report: reportListening)
    self.metrics = connections.metricsServer(groups: groups, report: reportListening)
    web = connections.webServer(groups: groups, report: reportListening)
  }

  package var connectionCount: Int { shell.connectionCount }
  /// Number of connections refused because of a limit.
  package var refusedCount: Int {
    shell.refusedCount + (acceptor.withLock { $0 }?.refusedCount ?? 0)
  }

  /// The number of audit log entries dropped because they arrived faster than they could be
  /// written.
  package var droppedNoteCount: UInt64 { shell.droppedNoteCount }

  /// Returns after the event loop that serves clients has responded.
  ///
  /// A watchdog uses this function to detect that the event loop hangs.
  package func ping() async { try? await shell.loop.submit {}.get() }

  /// Returns when the policies have handled all pending requests.
  package func pingPolicy() async { await shell.flushPolicies() }

  /// Publishes an event to authorized clients.
  ///
  /// Can be called from any thread, and returns at once.
  package func publish(_ event: ServerEvent) { shell.submit(.published(event)) }

  /// Claims the socket, so that no other daemon can use it.
  ///
  /// Call this function before opening anything else, so that a second daemon fails before it
  /// writes to files of the first daemon. Only ``run(whenReady:)`` releases the socket, so call
  /// that function afterwards, even in a cancelled task. Until then, connections of root and the
  /// daemon's own user wait, and other users cannot connect.
  ///
  /// - Throws: ``ServerFailure`` if the socket cannot be created.
  package func claim() throws(ServerFailure) {
    let descriptor = try file.claim()
    claimed.withLock { $0 = descriptor }
  }

  private var file: SocketFile { SocketFile(path: configuration.address.socketPath) }

  /// Serves clients until the task is cancelled.
  ///
  /// - Throws: ``ServerFailure`` if the socket cannot be created, or accept(2) fails.
  package func run(whenReady: @Sendable () -> Void = {}) async throws(ServerFailure) {
    let claimedDescriptor = claimed.withLock { claimed in
      defer { claimed = nil }
      return claimed
    }
    let descriptor = if let claimedDescriptor { claimedDescriptor } else { try file.claim() }
    defer { file.remove() }
    let acceptor = connections.acceptor(descriptor)
    self.acceptor.withLock { $0 = acceptor }
    let accepting = acceptor.start { [connections] in connections.admit($0) }
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
    await gpsd.stop()
    await nmea.stop()
    await metrics.stop()
    await web.stop()
    await connections.gate.flush()
    // Wait until the event loop has admitted the last accepted connection, so that this connection
    // is also closed.
    await ping()
    await shell.end()
    if number != 0 {
      throw .system(call: "accept", path: file.path, reason: String(cString: strerror(number)))
    }
  }
}
