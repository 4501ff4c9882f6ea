// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import Positioning
internal import Synchronization
public import SystemSupport

/// Authorizes clients with the board's files: rules from the administrator and the system image,
/// and operators' decisions.
///
/// A request that no rule or decision covers stays pending, and the command that answers it is
/// reported; such a request is never granted or refused silently. While there is a listener, the
/// kernel reports changes of the files, so that a revocation takes effect within 0.1 s, and an idle
/// board is not woken. If a file cannot be read, access is restricted.
///
/// The policy is cooperative: it applies to the program that it runs in, but not to a program that
/// opens the receiver itself. A process has one policy, which serves one location manager.
public final class PolicyFiles: AuthorizationPolicy {
  struct State {
    var run: PolicyRun
    fileprivate var waiters: [UInt64: Waiter] = [:]
    fileprivate var waiterCount: UInt64 = 0
    /// Waiters that were cancelled before they began to wait.
    fileprivate var cancelled: Set<UInt64> = []
  }

  /// A task that waits for the answer to a full-accuracy request.
  fileprivate struct Waiter {
    var purposeKey: String
    var continuation: CheckedContinuation<FullAccuracyAnswer, Never>
  }

  private struct Listeners {
    var nextID: UInt64 = 0
    var handlers: [UInt64: @Sendable (AuthorizationUpdate) -> Void] = [:]
    var following: PolicyListening?
  }

  /// The client that makes the requests.
  public let client: ClientIdentity
  /// The authorization when the policy was created; later changes arrive as updates.
  public let initialAuthorization: Authorization
  /// Whether location services were disabled for the whole board when the policy was created.
  public let isDeniedGlobally: Bool

  let process: ProcessToken
  let store: PolicyStore
  private let purposes: [String: String]?
  let state: Mutex<State>
  private let listeners = Mutex(Listeners())

  /// The paths of the files.
  var places: PolicyPaths { store.places }

  /// Creates the policy of this process and reads the files.
  ///
  /// - Parameters:
  ///   - client: The client that makes the requests; by default this process.
  ///   - places: The paths of the files.
  ///   - base: The authorization if no rule or decision applies, for example for a command that a
  ///     person runs in a shell; `nil` if the client must request it. Nothing is logged while the
  ///     base applies.
  ///   - fullAccuracyPurposes: The purposes of temporary full accuracy: a key and a description for
  ///     the operator. Any other key is refused at once, as in Core Location. With `nil`, every key
  ///     is accepted and serves as the description.
  ///   - interval: The check interval while the kernel reports changes.
  ///   - usesInotify: Whether the kernel is asked to report changes. If the kernel is not asked
  ///     or cannot report changes, the files are checked twice a second.
  ///   - clock: The clock for the check intervals.
  ///   - now: Returns the current time, for grants that expire.
  ///   - report: Receives log lines for the operator: pending requests with the command that
  ///     answers them, and files that cannot be read. By default, the lines are written to standard
  ///     error.
  public convenience init(
    client: ClientIdentity = ProcessEvidence().ownIdentity(), places: PolicyPaths = PolicyPaths(),
    base: AuthorizationStatus? = nil, fullAccuracyPurposes: [String: String]? = nil,
    interval: Duration = .seconds(30),
    usesInotify: Bool = true, clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> BootTimestamp = { BootTimestamp.now() },
    report: @escaping @Sendable (String) -> Void = { PolicyFiles.reportToStandardError($0) }
  ) {
    let store = PolicyStore(
      places: places, interval: interval, usesInotify: usesInotify, clock: clock, now: now,
      report: report)
    self.init(
      client: client, process: ProcessEvidence().ownToken(), store: store, base: base,
      fullAccuracyPurposes: fullAccuracyPurposes)
  }

  /// Creates the policy of this process, whose configuration specifies what it does with locations.
  ///
  /// The process is authorized unless a rule or decision forbids it. A rule `ask everyone` does not
  /// make the process wait, because the author of the configuration has already decided. The switch
  /// for the whole board and entries about the user or unit of the process apply.
  package convenience init(
    configured client: ClientIdentity = ProcessEvidence().ownIdentity(), store: PolicyStore
  ) {
    self.init(
      client: client, process: ProcessEvidence().ownToken(), store: store,
      base: .authorizedAlways, isConfigured: true, unsettledRules: store.read())
  }

  /// Creates the policy of any process from the files as last read by the store.
  ///
  /// `unsettledRules` are rules that were read for this client and apply until the store reads them.
  init(
    client: ClientIdentity, process: ProcessToken, store: PolicyStore,
    base: AuthorizationStatus?, isConfigured: Bool = false,
    fullAccuracyPurposes: [String: String]? = nil,
    unsettledRules: PolicySnapshot.UnsettledRules? = nil
  ) {
    self.client = client
    self.process = process
    self.store = store
    purposes = fullAccuracyPurposes
    let run = PolicyRun(
      client: client, process: process, store: store, base: base, isConfigured: isConfigured,
      purposes: fullAccuracyPurposes, unsettledRules: unsettledRules)
    initialAuthorization = run.session.authorization
    isDeniedGlobally = run.session.isGloballyDenied
    state = Mutex(State(run: run))
  }

  deinit {
    // Withdraw pending requests, because their answers are no longer needed.
    guard state.withLock({ $0.run.session.isWaiting }) else { return }
    store.perform { [decisions = places.store, process] in
      _ = try? decisions.update { $0.withdraw(process) }
    }
  }

  // MARK: Requests

  /// Reads the files and decides a request, or files the request for an operator.
  public func answer(
    _ request: AuthorizationRequest, purpose: String
  ) async -> AuthorizationAnswer {
    await withCheckedContinuation { continuation in
      store.perform {
        continuation.resume(
          returning: self.perform { $0.run.answer(request, purpose: purpose) })
      }
    }
  }

  /// Requests temporary full accuracy from an operator and waits for the answer.
  ///
  /// The request is filed like any other, and answered with `fixcast auth allow WHO --full --for
  /// 10m`.
  ///
  /// - Parameter purposeKey: The key of a purpose that the policy was created with.
  /// - Returns: The granted duration; `declined` if the request was refused, timed out according to
  ///   a rule, or the task was cancelled.
  public func decideFullAccuracy(purposeKey: String) async -> FullAccuracyAnswer {
    let isKnown = purposes.map { $0[purposeKey] != nil } ?? purposeKey.contains { !$0.isWhitespace }
    guard isKnown else { return .unknownPurpose }
    // The files are checked only while there is a listener.
    let listening = listen { _ in }
    defer { listening.end() }
    let id = state.withLock { state in
      state.waiterCount &+= 1
      return state.waiterCount
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        store.perform {
          let waits = self.state.withLock { state in
            if state.cancelled.remove(id) != nil { return false }
            state.waiters[id] = Waiter(purposeKey: purposeKey, continuation: continuation)
            return true
          }
          guard waits else { return continuation.resume(returning: .declined) }
          self.perform { $0.run.askFullAccuracy(purposeKey) }
        }
      }
    } onCancel: {
      store.perform { self.abandonFullAccuracy(id) }
    }
  }

  private func abandonFullAccuracy(_ id: UInt64) {
    let waiter = perform { state in
      guard let waiter = state.waiters.removeValue(forKey: id) else {
        state.cancelled.insert(id)
        return Waiter?.none
      }
      if !state.waiters.values.contains(where: { $0.purposeKey == waiter.purposeKey }) {
        state.run.abandonFullAccuracy(waiter.purposeKey)
      }
      return waiter
    }
    waiter?.continuation.resume(returning: .declined)
  }

  /// Reads the files and returns the current verdict for this program.
  package func verdict(asking request: AuthorizationRequest) -> AuthorizationVerdict {
    let last = state.withLock { $0.run.evaluation }
    var evaluation = places.evaluation(base: last.base)
    evaluation.isConfigured = last.isConfigured
    return evaluation.verdict(on: client, asking: request, at: store.now(), process: process)
  }

  // MARK: Current authorization

  /// The last reported verdict; `nil` while the policy is being evaluated, so that no caller waits.
  package var lastVerdictIfAvailable: AuthorizationVerdict? {
    state.withLockIfAvailable { $0.run.session.lastVerdict }
  }

  /// The last reported verdict.
  ///
  /// Waits while the policy is being evaluated, unlike ``lastVerdictIfAvailable``.
  package var lastReportedVerdict: AuthorizationVerdict {
    state.withLock { $0.run.session.lastVerdict }
  }

  /// The requests of this client that an operator would have to decide now.
  package var operatorRequests: OperatorRequests {
    state.withLock { $0.run.session.operatorRequests($0.run.evaluation, at: store.now()) }
  }

  // MARK: Listening

  /// Subscribes to changes of the authorization, such as an answer, a revocation or an expiry.
  ///
  /// Pending requests are withdrawn when the last subscription ends, because their answers are then
  /// not needed.
  public func listen(
    _ take: @escaping @Sendable (AuthorizationUpdate) -> Void
  ) -> PolicyListening {
    let (id, isFirst) = listeners.withLock { listeners in
      listeners.nextID &+= 1
      listeners.handlers[listeners.nextID] = take
      return (listeners.nextID, listeners.handlers.count == 1)
    }
    if isFirst { followStore() }
    return PolicyListening { [weak self] in self?.forget(id) }
  }

  private func followStore() {
    // Without a free thread, the store checks the files in this call, so no lock is held.
    let following = store.follow { [weak self] _ in
      self?.perform { $0.run.followStore() } ?? nil
    }
    let ended = listeners.withLock { listeners -> PolicyListening? in
      guard !listeners.handlers.isEmpty else { return following }
      defer { listeners.following = following }
      return listeners.following
    }
    ended?.end()
  }

  private func forget(_ id: UInt64) {
    let following = listeners.withLock { listeners -> PolicyListening? in
      listeners.handlers[id] = nil
      guard listeners.handlers.isEmpty else { return nil }
      defer { listeners.following = nil }
      return listeners.following
    }
    guard let following else { return }
    following.end()
    store.perform {
      guard self.listeners.withLock({ $0.handlers.isEmpty }) else { return }
      self.perform { $0.run.abandon() }
    }
  }

  // MARK: Service uses

  /// Logs a service use, and consumes a one-time grant at the end of its session.
  public func note(_ use: ServiceUse) {
    // The closure keeps the policy alive until the use is written, because the last use arrives
    // while the manager is being released.
    store.perform(atMost: store.maxNotes) { self.perform { $0.run.note(use) } }
  }

  /// The number of log lines dropped because they arrived faster than they could be written.
  ///
  /// Policies with the same store share this number.
  public var droppedNoteCount: UInt64 { store.droppedNoteCount }

  /// Waits until all noted uses are written, or until the wait for the log's lock times out.
  public func flush() async {
    await store.flush()
  }

  /// Writes a line to standard error.
  public static func reportToStandardError(_ line: String) {
    var bytes = Array("fixcast: \(line)\n".utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }

  // MARK: Execution

  /// Changes the state under the lock, then releases the lock and delivers the outputs.
  ///
  /// Called on the thread of the store, so that outputs are delivered in order.
  private func perform<Value>(_ change: (inout State) -> Value) -> Value {
    let (value, outputs) = state.withLock { state in
      let value = change(&state)
      return (value, state.run.takeOutputs())
    }
    for output in outputs {
      switch output {
      case .update(let update):
        for take in listeners.withLock({ Array($0.handlers.values) }) { take(update) }
      case .fullAccuracy(let key, let answer):
        let answered = state.withLock { state in
          let answered = state.waiters.filter { $0.value.purposeKey == key }
          for id in answered.keys { state.waiters[id] = nil }
          return answered.values.map(\.continuation)
        }
        for continuation in answered { continuation.resume(returning: answer) }
      }
    }
    return value
  }
}
