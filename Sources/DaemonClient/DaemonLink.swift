// SPDX-License-Identifier: Apache-2.0

internal import LocationServices

/// Decides when to connect to the daemon and when to disconnect.
///
/// Takes events as input and returns actions.
///
/// One connection is active. Changed parameters require a new connection. The old connection is
/// closed after the new connection has received data. While the daemon is unavailable, the link
/// repeatedly tries to connect.
struct DaemonLink: Equatable, Sendable {
  /// The parameters of a connection.
  ///
  /// They cannot change while the connection is open.
  struct Parameters: Equatable, Sendable {
    var activity: String?
    /// Whether the stream includes locations; if false, it contains only the program's
    /// authorization.
    var includesLocations = true
  }

  enum Event: Equatable, Sendable {
    case began
    case parametersChanged(Parameters)
    /// The connection with this number received data.
    case received(UInt64, Parameters)
    /// The daemon sent the program's authorization.
    case receivedAuthorization
    /// The connection with this number failed or was closed.
    case ended(UInt64, Parameters, DaemonClientError)
    /// The wait with this number has ended.
    case waited(UInt64)
    /// The directory of the socket changed.
    case folderChanged
  }

  private struct Connection: Equatable {
    var number: UInt64
    var parameters: Parameters
  }

  private(set) var mode: AuthorizationMode
  private let backoff: DaemonSession.Backoff
  private var wantedParameters = Parameters()
  /// An activity that the daemon rejected.
  ///
  /// Connections are made without this activity.
  private var refusedActivity: String?
  /// The connection that has received data; `nil` without one.
  private var active: Connection?
  /// The number of the connection that was started, but has neither received data nor failed; `nil`
  /// if there is none.
  private var attempt: UInt64?
  private var lastNumber: UInt64 = 0
  /// The number of the wait before the next attempt; `nil` if the link does not wait.
  private var wait: UInt64?
  /// The duration of the last wait; `nil` after a successful attempt.
  private var lastDuration: Duration?
  private var lastReportedError: String?
  /// The number of consecutive attempts for which the daemon was unusable.
  ///
  /// A single such attempt is tolerated, because a socket that is being created cannot be opened
  /// for a moment.
  private var unusableCount = 0
  /// Whether the program was restricted because the daemon is unusable or rejects its requests.
  private var isRestricted = false

  init(_ failure: DaemonClientError? = nil, backoff: DaemonSession.Backoff) {
    self.backoff = backoff
    mode = failure?.isRejection ?? true ? .enforced : .unreachable
    lastReportedError = failure.map { "\($0)" }
  }

  var isConnected: Bool { active != nil }

  /// Whether the connection with this number is active; `nil` if the connection was replaced.
  func isActive(_ number: UInt64) -> Bool? {
    number == active?.number ? true : number == attempt ? false : nil
  }

  mutating func handle(_ event: Event) -> [DaemonAction] {
    switch event {
    case .began:
      (active, attempt, wait) = (nil, nil, nil)
      return [connect()]
    case .parametersChanged(let new):
      let before = parameters
      wantedParameters = new
      if isConnected, parameters != before { wait = nil }
      return replaceConnection()
    case .received(let number, let actual):
      guard number == attempt else { return [] }
      (active, attempt) = (Connection(number: number, parameters: actual), nil)
      return [.disconnect(before: number)] + replaceConnection()
    case .receivedAuthorization:
      // An update on the active connection does not end the wait before its replacement.
      if wait == nil, attempt == nil { lastDuration = nil }
      (lastReportedError, unusableCount, isRestricted) = (nil, 0, false)
      return setMode(.enforced)
    case .ended(let number, let actual, let error): return handleEnd(number, actual, error)
    case .waited(let number):
      guard wait == number else { return [] }
      wait = nil
      return isConnected ? replaceConnection() : [connect()]
    case .folderChanged:
      guard wait != nil, !isConnected else { return [] }
      wait = nil
      return [connect()]
    }
  }

  /// The parameters of the next connection, without an activity that the daemon rejected.
  private var parameters: Parameters {
    var parameters = wantedParameters
    if parameters.activity == refusedActivity { parameters.activity = nil }
    return parameters
  }

  private mutating func connect() -> DaemonAction {
    lastNumber &+= 1
    attempt = lastNumber
    return .connect(lastNumber, parameters)
  }

  /// Starts a connection with other parameters than the active one has, unless one was started.
  private mutating func replaceConnection() -> [DaemonAction] {
    guard let active, active.parameters != parameters, attempt == nil, wait == nil else {
      return []
    }
    return [connect()]
  }

  private mutating func handleEnd(
    _ number: UInt64, _ actual: Parameters, _ error: DaemonClientError
  ) -> [DaemonAction] {
    guard let isActive = isActive(number) else { return [] }
    if isActive {
      (active, lastDuration) = (nil, nil)
      return attempt == nil ? handleLoss(error) : []
    }
    attempt = nil
    if error.isRejection, actual.activity != nil {
      refusedActivity = actual.activity
      return (isConnected ? replaceConnection() : [connect()]) + [.report("\(error)")]
    }
    guard isConnected else { return handleLoss(error) }
    // The active connection is kept.
    let isFirst = lastDuration == nil
    return [startWait()] + (isFirst ? [.report("\(error)")] : [])
  }

  private mutating func handleLoss(_ error: DaemonClientError) -> [DaemonAction] {
    refusedActivity = nil
    // A daemon that rejects requests is running, and its policy is enforced, so the program is
    // restricted.
    // No connection is left, so all their tasks can be released.
    var actions: [DaemonAction] = [.disconnect(before: lastNumber &+ 1), .signal(.lost)]
    actions += setMode(error.isRejection ? .enforced : .unreachable)
    unusableCount = error.isUnusable ? unusableCount + 1 : 0
    if error.isRejection || unusableCount >= 2, !isRestricted {
      isRestricted = true
      actions.append(.restrict)
    }
    actions.append(.deliver(.lost(error)))
    if lastReportedError != "\(error)" {
      lastReportedError = "\(error)"
      actions.append(.report("\(error)"))
    }
    return actions + [startWait()]
  }

  private mutating func setMode(_ new: AuthorizationMode) -> [DaemonAction] {
    guard mode != new else { return [] }
    mode = new
    return [.notify([.mode(new)])]
  }

  private mutating func startWait() -> DaemonAction {
    let duration = backoff.next(after: lastDuration)
    lastNumber &+= 1
    (wait, lastDuration) = (lastNumber, duration)
    return .wait(lastNumber, duration)
  }
}
