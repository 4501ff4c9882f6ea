// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning

/// One connection, as the server sees it.
struct ServerConnection: Sendable {
  enum Phase: Equatable, Sendable {
    /// The request is still coming.
    case reading
    /// The files that decide about the client are being read.
    case opening
    /// The daemon is asked how it is.
    case asksStatus
    /// A position is waited for.
    case locating
    /// The answer to the request of that number is waited for; at once, or as long as it takes.
    case asking(UInt64, waits: Bool)
    /// The answer to a request for full accuracy is waited for.
    case askingFullAccuracy(UInt64)
    case streaming
    /// The answer is being written.
    case answering
  }

  let owner: ConnectionOwner
  var phase = Phase.reading
  var client: ServerClient.Key?
  var request: DaemonRequest?
  /// When the present wait is over.
  var deadline: MonotonicTime?
  var queue: OutgoingQueue
  /// What is with the socket, and not yet with the kernel.
  var writing: OutgoingQueue.Frame?
  /// When a client that reads nothing is given up.
  var writeDeadline: MonotonicTime?
  /// When a stream that has had nothing to tell is sent a sign of life.
  var beatDeadline: MonotonicTime?
  /// Whether a stream is told where the board is, or its authorization alone.
  var tellsLocations = true
  /// Whether a client of reduced accuracy was told of a loss, and of nothing after it.
  var hasLost = false
  /// What it uses locations for; `nil` where it is told none.
  var service: LocationServiceKind?
  var locationCount: UInt64 = 0
  /// Which of the reduced locations it has been told.
  var reducedVersion: UInt64 = 0

  init(owner: ConnectionOwner, deadline: MonotonicTime, limits: ServerLimits) {
    self.owner = owner
    self.deadline = deadline
    queue = OutgoingQueue(maxFrames: limits.waitingObjects, maxBytes: limits.waitingBytes)
  }
}

/// A process that asks, over any number of connections.
struct ServerClient: Sendable {
  typealias Key = PeerEvidence

  /// `nil` until the files have been read.
  var state: AuthorizationState?
  var connections: Set<UInt64> = []
  /// Requests that an operator would be asked about, as the policy was when it was opened.
  var operatorRequests: OperatorRequests = []
  /// What its streams were told last.
  var told: DaemonAuthorization?
  /// When full accuracy for a while is over, and by which request it came.
  var lease: (number: UInt64, end: MonotonicTime)?

  /// What holds, for the client to read.
  var authorization: DaemonAuthorization? {
    state.map {
      DaemonAuthorization(
        $0.effective, isPending: $0.pending != nil, isDeniedGlobally: $0.isDeniedGlobally)
    }
  }

  /// Whether an operator would be asked, since neither a rule nor an answer decides.
  func asksOperator(_ request: AuthorizationRequest, _ state: AuthorizationState) -> Bool {
    state.pending == nil && state.granted.status != .authorizedAlways
      && !state.granted.status.isRefused && operatorRequests.contains(OperatorRequests(request))
  }
}
