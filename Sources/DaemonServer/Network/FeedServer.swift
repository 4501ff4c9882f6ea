// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import Glibc
internal import LocationServices
package import Positioning
internal import Synchronization
package import SystemSupport

/// Listens for the clients of gpsd, of NMEA 0183, of the metrics or of the status page, on TCP
/// addresses, on a Unix socket and on a socket of the service manager.
///
/// An address that cannot be used is reported, and tried again after about ``retrySeconds`` and with
/// each ``apply(_:)``; the other addresses are served meanwhile.
package final class FeedServer: Sendable {
  /// The addresses to listen on.
  package struct Settings: Equatable, Sendable {
    /// Whether the server listens at all.
    package var isEnabled: Bool
    package var addresses: [ListenAddress]
    /// The path of a Unix socket; `nil` for none.
    package var socketPath: String?
    /// A listening socket that the service manager has passed to the program; `nil` for none.
    package var inherited: Int32?

    package init(
      isEnabled: Bool = true, addresses: [ListenAddress] = [], socketPath: String? = nil,
      inherited: Int32? = nil
    ) {
      self.isEnabled = isEnabled
      self.addresses = addresses
      self.socketPath = socketPath
      self.inherited = inherited
    }
  }

  package struct Status: Equatable, Sendable {
    /// The state of a server.
    package enum State: String, Sendable {
      /// The server listens on all addresses that this board has.
      case running
      /// An address cannot be used; the server tries again after about ``FeedServer/retrySeconds``.
      case failed
      /// The server has no addresses.
      case stopped
    }

    /// The state of the server.
    package var state: State {
      if hasFailed || (listening.isEmpty && !failures.isEmpty) { return .failed }
      return listening.isEmpty ? .stopped : .running
    }
    /// Whether an address fails for another reason than that the board has no IPv6.
    package var hasFailed = false
    /// The time since which the server has been in this state; `nil` before the first
    /// ``FeedServer/apply(_:)``.
    package var since: MonotonicTime?
    /// The addresses and paths at which clients can connect.
    package var listening: [String] = []
    /// The reasons why other addresses are not served.
    package var failures: [String] = []
    /// The number of connected clients; `nil` if it is not counted.
    package var clientCount: Int?
    /// The number of connections that were refused or could not be identified.
    package var refusedCount = 0
    /// The number of reports that were dropped because clients read too slowly.
    package var droppedCount: Int?

    package init() {}
  }

  /// The time between two attempts to listen on an address that cannot be used, in seconds.
  static let retrySeconds: Int64 = 10

  private enum Endpoint: Hashable {
    case tcp(ListenAddress)
    case unix(path: String)
    case inherited(Int32)

    var text: String {
      switch self {
      case .tcp(let address): "\(address)"
      case .unix(let path): path
      case .inherited(let socket):
        TCPListener.address(of: socket).map { "\($0)" } ?? "a socket of the service manager"
      }
    }
  }

  private struct Listener {
    var acceptor: SocketAcceptor
    var accepting: Task<Int32, Never>
  }

  private struct State {
    /// The endpoints to listen on.
    var wanted: Set<Endpoint> = []
    var listeners: [Endpoint: Listener] = [:]
    var failures: [Endpoint: Failure] = [:]
    /// The number of connections refused by listeners that have been closed.
    var closedRefusals = 0
    var isStopped = false
    /// Tries the failed endpoints again; `nil` while there are none.
    var retrying: Task<Void, Never>?
    /// The last state, and the time at which it began.
    var last: (state: Status.State, since: MonotonicTime)?

    /// The state of the listeners, without counts of clients.
    var status: Status {
      var status = Status()
      status.listening = listeners.keys.map(\.text).sorted()
      status.failures = failures.values.map(\.text).sorted()
      status.hasFailed = failures.values.contains { !$0.isWithoutIPv6 }
      status.since = last?.since
      return status
    }
  }

  private let name: String
  private let limits: ServerLimits
  /// Finds the system units of clients; `nil` if clients are not identified by the kernel.
  private let groups: ControlGroupTree?
  private let makeAcceptor:
    @Sendable (Int32, (@Sendable (Int32) -> PeerEvidence?)?) -> SocketAcceptor
  private let admit: @Sendable (SocketAcceptor.Accepted) -> Void
  private let counts: @Sendable () -> (clients: Int, drops: Int)?
  private let now: @Sendable () -> MonotonicTime
  private let report: @Sendable (String) -> Void
  private let pause: @Sendable (Int64) async -> Bool
  private let state = Mutex(State())
  /// Held while endpoints are opened or closed.
  private let opening = Mutex(())
  private let recovered = Mutex<(@Sendable () -> Void)?>(nil)

  /// Creates a server that listens nowhere yet.
  ///
  /// `pause` waits for a number of nanoseconds before the next attempt, and returns false if the task is
  /// cancelled.
  init(
    _ name: String, limits: ServerLimits, groups: ControlGroupTree?,
    makeAcceptor:
      @escaping @Sendable (Int32, (@Sendable (Int32) -> PeerEvidence?)?) -> SocketAcceptor,
    admit: @escaping @Sendable (SocketAcceptor.Accepted) -> Void,
    counts: @escaping @Sendable () -> (clients: Int, drops: Int)?,
    now: @escaping @Sendable () -> MonotonicTime,
    report: @escaping @Sendable (String) -> Void,
    pause: @escaping @Sendable (Int64) async -> Bool = {
      (try? await Task.sleep(nanoseconds: UInt64(clamping: $0))) != nil
    }
  ) {
    self.pause = pause
    self.name = name
    self.limits = limits
    self.groups = groups
    self.makeAcceptor = makeAcceptor
    self.admit = admit
    self.counts = counts
    self.now = now
    self.report = report
  }

  package var status: Status {
    var status = state.withLock { state in
      var status = state.status
      status.refusedCount =
        state.closedRefusals + state.listeners.values.reduce(0) { $0 + $1.acceptor.refusedCount }
      return status
    }
    let counts = counts()
    (status.clientCount, status.droppedCount) = (counts?.clients, counts?.drops)
    return status
  }

  /// Listens on the addresses, and stops listening on all others.
  ///
  /// Connected clients stay connected. Do not call concurrently.
  package func apply(_ settings: Settings) {
    let wanted = Self.endpoints(settings)
    opening.withLock { _ in
      state.withLock { $0.wanted = wanted }
      close(except: wanted)
      open()
      noteState()
    }
    startRetries()
  }

  private static func endpoints(_ settings: Settings) -> Set<Endpoint> {
    guard settings.isEnabled else { return [] }
    return Set(
      settings.addresses.map { .tcp($0) } + (settings.socketPath.map { [.unix(path: $0)] } ?? [])
        + (settings.inherited.map { [.inherited($0)] } ?? []))
  }

  /// Calls `body` after each retry that has opened an endpoint; replaces an earlier body.
  func whenRecovered(_ body: @escaping @Sendable () -> Void) { recovered.withLock { $0 = body } }

  /// Listens on the endpoints that are not open; returns whether one was opened.
  @discardableResult
  private func open() -> Bool {
    let (wanted, old) = state.withLock { ($0.wanted, $0.failures) }
    var hasOpened = false
    for endpoint in wanted.sorted(by: { $0.text < $1.text }) {
      let isOpen = state.withLock { $0.isStopped || $0.listeners[endpoint] != nil }
      guard !isOpen else { continue }
      do throws(Failure) {
        let listener = try open(endpoint)
        state.withLock { state in
          state.listeners[endpoint] = listener
          state.failures[endpoint] = nil
        }
        hasOpened = true
        report("\(name) server: listening on \(endpoint.text)")
      } catch {
        state.withLock { $0.failures[endpoint] = error }
        if old[endpoint]?.text != error.text { report("\(name) server: \(error.text)") }
      }
    }
    return hasOpened
  }

  private func startRetries() {
    state.withLock { state in
      guard state.retrying == nil, !state.failures.isEmpty, !state.isStopped else { return }
      state.retrying = Task { [weak self, pause] in
        let nanoseconds = Self.retrySeconds * 1_000_000_000
        var backOff = BackOff(firstNanoseconds: nanoseconds, maxNanoseconds: nanoseconds)
        var generator = SystemRandomNumberGenerator()
        while await pause(backOff.next(using: &generator)), let self, self.retry() {}
      }
    }
  }

  /// Tries the failed endpoints again; returns whether one still fails.
  private func retry() -> Bool {
    let hasOpened = opening.withLock { _ in
      defer { noteState() }
      return open()
    }
    if hasOpened { recovered.withLock { $0 }?() }
    return state.withLock { state in
      let fails = !state.failures.isEmpty && !state.isStopped
      if !fails { state.retrying = nil }
      return fails
    }
  }

  private func noteState() {
    state.withLock { state in
      let current = state.status.state
      if state.last?.state != current { state.last = (current, now()) }
    }
  }

  /// Stops listening.
  func stop() async {
    let listeners = opening.withLock { _ in
      let (listeners, retrying) = state.withLock { state in
        state.isStopped = true
        return (Array(state.listeners.values), state.retrying)
      }
      retrying?.cancel()
      close(except: [])
      return listeners
    }
    for listener in listeners { _ = await listener.accepting.value }
  }

  private func close(except wanted: Set<Endpoint>) {
    let closed = state.withLock { state in
      state.failures = state.failures.filter { wanted.contains($0.key) }
      let closed = state.listeners.filter { !wanted.contains($0.key) }
      for (endpoint, listener) in closed {
        state.listeners[endpoint] = nil
        state.closedRefusals += listener.acceptor.refusedCount
      }
      return closed
    }
    for (endpoint, listener) in closed {
      if case .unix(let path) = endpoint { SocketFile(path: path).remove() }
      listener.acceptor.stop()
    }
  }

  private struct Failure: Error {
    let text: String
    /// Whether the board has no IPv6, so that no client can use the address.
    var isWithoutIPv6 = false
  }

  private func open(_ endpoint: Endpoint) throws(Failure) -> Listener {
    let descriptor: Int32
    var identify: (@Sendable (Int32) -> PeerEvidence?)?
    switch endpoint {
    case .tcp(let address):
      do throws(ListenFailure) { descriptor = try TCPListener.listen(on: address) } catch {
        let isUnavailable = [EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.number)
        throw Failure(
          text: "\(error)",
          isWithoutIPv6: isUnavailable && address.isIPv6 && address.isLoopback)
      }
      identify = { [groups] socket in
        guard let groups else { return .unidentified }
        guard let owner = try? SocketOwner(peerOf: socket) else { return nil }
        return groups.client(user: owner.userID, group: owner.controlGroup)
      }
    case .unix(let path):
      let file = SocketFile(path: path)
      do throws(ServerFailure) {
        descriptor = try file.claim()
        try file.open()
      } catch { throw Failure(text: "\(error)") }
    case .inherited(let socket):
      // The acceptor closes its socket, and the same one may be used again later.
      do throws(ListenFailure) { descriptor = try TCPListener.duplicate(socket) } catch {
        throw Failure(text: "the socket of the service manager: \(error)")
      }
      identify = { _ in .unidentified }
    }
    let acceptor = makeAcceptor(descriptor, identify)
    return Listener(acceptor: acceptor, accepting: acceptor.start(admit))
  }
}

extension PeerEvidence {
  /// The client of a TCP connection that states its identity later, by a session.
  fileprivate static let unidentified = PeerEvidence(
    identity: ClientIdentity(userID: .max), process: .unknown)
}
