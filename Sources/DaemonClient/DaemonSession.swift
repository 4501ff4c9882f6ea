// SPDX-License-Identifier: Apache-2.0

public import DaemonInterface
public import LocationServices
public import Positioning
internal import Synchronization

/// The daemon as a source of fixes and as whoever decides, for a location manager in this process.
///
/// The daemon lets through what this program may know; what the manager makes of it, filters and
/// regions, is this program's own. While the daemon is away it is looked for, seldom more and more.
public final class DaemonSession: FixSource, AuthorizationPolicy {
  /// How long it waits before it looks for the daemon again: doubled each time, up to the last.
  public struct Backoff: Hashable, Sendable {
    /// The first wait.
    public var first = Duration.seconds(1)
    /// The longest.
    public var longest = Duration.seconds(30)

    /// The usual one.
    public init() {}

    func next(after wait: Duration?) -> Duration { wait.map { min($0 * 2, longest) } ?? first }
  }

  /// Everything that comes, for those who want more than fixes.
  public enum Event: Equatable, Sendable {
    /// An object.
    case object(DaemonEvent)
    /// The connection is lost, or could not be had.
    case lost(DaemonClientError)
  }

  private struct State {
    var told: DaemonAuthorization
    var nextID: UInt64 = 0
    var listeners: [UInt64: AsyncStream<AuthorizationUpdate>.Continuation] = [:]
  }

  /// The name of the source.
  public let name: String
  /// What held when the session was made.
  public let initialAuthorization: Authorization
  /// Whether the switch for the whole board was off then.
  public let isDeniedGlobally: Bool

  private let client: DaemonClient
  private let purpose: String?
  private let backoff: Backoff
  private let clock: any Clock<Duration>
  private let state: Mutex<State>

  /// Asks the daemon what this program may know, and makes a session.
  ///
  /// - Parameters:
  ///   - client: Speaks to the daemon.
  ///   - purpose: What for; where nobody has decided, that is asked for as the session runs.
  ///   - backoff: How long it waits between attempts.
  ///   - clock: What the waits are measured by.
  /// - Throws: ``DaemonClientError``.
  public convenience init(
    _ client: DaemonClient, purpose: String? = nil, backoff: Backoff = Backoff(),
    clock: any Clock<Duration> = ContinuousClock()
  ) async throws(DaemonClientError) {
    let told = try await client.status().authorization
    self.init(client, purpose: purpose, backoff: backoff, clock: clock, assuming: told)
  }

  /// Makes a session by what is known; `nil` for nothing.
  init(
    _ client: DaemonClient, purpose: String?, backoff: Backoff = Backoff(),
    clock: any Clock<Duration> = ContinuousClock(), assuming told: DaemonAuthorization?
  ) {
    let told = told ?? DaemonAuthorization(Authorization(.notDetermined))
    self.client = client
    self.purpose = purpose
    self.backoff = backoff
    self.clock = clock
    name = "daemon:\(client.address)"
    initialAuthorization = told.authorization
    isDeniedGlobally = told.isDeniedGlobally
    state = Mutex(State(told: told))
  }

  /// What the daemon said last.
  public var authorization: DaemonAuthorization { state.withLock { $0.told } }

  // MARK: The source

  /// Delivers what the daemon tells, until the task is cancelled.
  ///
  /// - Parameter deliver: Takes each event.
  /// - Throws: Nothing: a daemon that is away is waited for.
  public func run(
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async throws(Never) {
    await follow { event in
      switch event {
      case .object(.fix(let fix)): deliver(.fix(fix))
      case .object(.sky(let sky)): deliver(.sky(sky))
      case .object(.receiver(let receiver)): deliver(.receiver(receiver))
      case .object(.lost(let loss, _)): deliver(.lost(loss))
      case .object: break
      case .lost(let error):
        let isAbsent = if case .noDaemon = error { true } else { false }
        deliver(.lost(SourceLoss(isAbsent ? .unreachable : .disconnected, detail: "\(error)")))
      }
    }
  }

  /// Follows the daemon's stream, connecting anew as often as it takes, until cancelled.
  ///
  /// - Parameter take: Takes each event, in order; must return at once.
  public func follow(_ take: @escaping @Sendable (Event) -> Void) async {
    var wait: Duration?
    while !Task.isCancelled {
      var hasBegun = false
      do throws(DaemonClientError) {
        try await client.stream(DaemonRequest(.events, purpose: purpose)) { event in
          hasBegun = true
          if case .authorization(let told) = event { self.take(told) }
          take(.object(event))
        }
        if Task.isCancelled { return }
        take(.lost(.disconnected("it has ended the connection")))
      } catch {
        if Task.isCancelled { return }
        take(.lost(error))
      }
      wait = backoff.next(after: hasBegun ? nil : wait)
      guard let wait, (try? await clock.sleep(for: wait)) != nil else { return }
    }
  }

  // MARK: The policy

  private func take(_ told: DaemonAuthorization) {
    let (listeners, hasChanged) = state.withLock { state in
      defer { state.told = told }
      let before = state.told
      return (
        Array(state.listeners.values),
        before.authorization != told.authorization
          || before.isDeniedGlobally != told.isDeniedGlobally
      )
    }
    guard hasChanged else { return }
    for listener in listeners {
      listener.yield(told.isDeniedGlobally ? .deniedGlobally : .decided(told.authorization))
    }
  }

  /// Starts to listen to what the daemon decides.
  ///
  /// - Returns: The updates, in order.
  public func updates() -> AsyncStream<AuthorizationUpdate> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: AuthorizationUpdate.self, bufferingPolicy: .bufferingNewest(64))
    let id = state.withLock { state in
      state.nextID &+= 1
      state.listeners[state.nextID] = continuation
      return state.nextID
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
    }
    return stream
  }

  /// Asks the daemon, however long an operator takes.
  ///
  /// - Parameter request: What is asked for.
  /// - Returns: What holds then; not determined where the daemon cannot be asked.
  public func decide(_ request: AuthorizationRequest) async -> Authorization {
    await ask(request == .always ? .always : .whenInUse, purpose ?? "none given")
      ?? Authorization(.notDetermined)
  }

  /// Asks the daemon; the answer may come as an update.
  ///
  /// - Parameters:
  ///   - request: What is asked for.
  ///   - purpose: What for.
  /// - Returns: The decision, or that it waits.
  public func answer(
    _ request: AuthorizationRequest, purpose: String
  ) async -> AuthorizationAnswer {
    let told = await ask(request == .always ? .always : .whenInUse, purpose)
    guard let told, told.status != .notDetermined else { return .pending }
    return .decided(told)
  }

  /// Asks the daemon for full accuracy for a while; its end comes as an update.
  ///
  /// - Parameter purposeKey: What for.
  /// - Returns: Granted where the daemon has full accuracy for this program then.
  public func decideFullAccuracy(purposeKey: String) async -> FullAccuracyAnswer {
    await ask(.temporaryFull, purposeKey)?.accuracy == .fullAccuracy
      ? .granted(duration: nil) : .declined
  }

  private func ask(
    _ kind: DaemonAuthorizationRequest.Kind, _ purpose: String
  ) async -> Authorization? {
    let request = DaemonAuthorizationRequest(
      kind, purpose: purpose, timeoutSeconds: DaemonRequest.mostTimeoutSeconds)
    do throws(DaemonClientError) {
      return try await client.authorize(request).authorization
    } catch {
      return nil
    }
  }
}
