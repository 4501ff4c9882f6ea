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

  enum Wait: Hashable, Sendable {
    /// The wait before the next attempt to connect.
    case connection
    /// The wait before the next attempt to replace the active connection.
    case renewal
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
    case waited(Wait, UInt64)
    /// The directory of the socket changed.
    case folderChanged
  }

  private(set) var mode: AuthorizationMode
  private let backoff: DaemonSession.Backoff
  private var wantedParameters = Parameters()
  /// An activity that the daemon rejected.
  ///
  /// Connections are made without this activity.
  private var refusedActivity: String?
  /// The parameters of the active connection; `nil` if no connection is active.
  private var activeParameters: Parameters?
  /// The connections that were started, but have neither received data nor failed.
  private var attempts: Set<UInt64> = []
  private var newestNumber: UInt64 = 0
  private var currentNumber: UInt64 = 0
  private var connectionWait: Duration?
  private var renewalWait: Duration?
  private var waits: [Wait: UInt64] = [:]
  private var waitCount: UInt64 = 0
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

  var isConnected: Bool { activeParameters != nil }

  /// Whether the connection with this number is active; `nil` if the connection was replaced.
  func isActive(_ number: UInt64) -> Bool? {
    number < currentNumber ? nil : number == currentNumber
  }

  mutating func handle(_ event: Event) -> [DaemonAction] {
    switch event {
    case .began:
      (attempts, activeParameters, renewalWait, waits) = ([], nil, nil, [:])
      ignoreOldConnections()
      return [connect()]
    case .parametersChanged(let new):
      let before = parameters
      wantedParameters = new
      return isConnected && parameters != before ? [connect()] : []
    case .received(let number, let actual):
      guard number > currentNumber else { return [] }
      (currentNumber, activeParameters, renewalWait) = (number, actual, nil)
      attempts = attempts.filter { $0 > number }
      // If the parameters have changed since this connection was started, start another connection.
      return [.disconnect(before: number)] + (parameters == actual ? [] : [connect()])
    case .receivedAuthorization:
      (connectionWait, lastReportedError, unusableCount, isRestricted) = (nil, nil, 0, false)
      return setMode(.enforced)
    case .ended(let number, let actual, let error): return handleEnd(number, actual, error)
    case .waited(let wait, let number):
      guard waits[wait] == number else { return [] }
      waits[wait] = nil
      switch wait {
      case .connection: return [connect()]
      case .renewal: return isConnected && needsRenewal ? [connect()] : []
      }
    case .folderChanged: return waits.removeValue(forKey: .connection) == nil ? [] : [connect()]
    }
  }

  /// The parameters of the next connection, without an activity that the daemon rejected.
  private var parameters: Parameters {
    var parameters = wantedParameters
    if parameters.activity == refusedActivity { parameters.activity = nil }
    return parameters
  }

  private var needsRenewal: Bool { attempts.isEmpty && activeParameters != parameters }

  private mutating func connect() -> DaemonAction {
    newestNumber &+= 1
    attempts.insert(newestNumber)
    return .connect(newestNumber, parameters)
  }

  private mutating func ignoreOldConnections() {
    (currentNumber, newestNumber) = (newestNumber &+ 1, newestNumber &+ 1)
  }

  private mutating func handleEnd(
    _ number: UInt64, _ actual: Parameters, _ error: DaemonClientError
  ) -> [DaemonAction] {
    attempts.remove(number)
    guard number >= currentNumber else { return [] }
    let isRefused = error.isRejection && actual.activity != nil
    if isRefused { refusedActivity = actual.activity }
    if isConnected, number > currentNumber {
      // The new connection failed, so the active connection is kept.
      if isRefused { return (needsRenewal ? [connect()] : []) + [.report("\(error)")] }
      guard attempts.isEmpty, waits[.renewal] == nil else { return [] }
      let isFirst = renewalWait == nil
      let wait = backoff.next(after: renewalWait)
      renewalWait = wait
      return [self.wait(.renewal, wait)] + (isFirst ? [.report("\(error)")] : [])
    }
    activeParameters = nil
    let retry = isRefused && attempts.isEmpty ? [connect()] : []
    guard attempts.isEmpty else { return retry + (isRefused ? [.report("\(error)")] : []) }
    ignoreOldConnections()
    (refusedActivity, renewalWait) = (nil, nil)
    return [.disconnect(before: newestNumber), .signal(.lost)] + handleLoss(error)
  }

  private mutating func handleLoss(_ error: DaemonClientError) -> [DaemonAction] {
    // A daemon that rejects requests is running, and its policy is enforced, so the program is
    // restricted.
    var actions = setMode(error.isRejection ? .enforced : .unreachable)
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
    let duration = backoff.next(after: connectionWait)
    connectionWait = duration
    return actions + [wait(.connection, duration)]
  }

  private mutating func setMode(_ new: AuthorizationMode) -> [DaemonAction] {
    guard mode != new else { return [] }
    mode = new
    return [.notify([.mode(new)])]
  }

  private mutating func wait(_ wait: Wait, _ duration: Duration) -> DaemonAction {
    waitCount &+= 1
    waits[wait] = waitCount
    return .wait(wait, waitCount, duration)
  }
}
