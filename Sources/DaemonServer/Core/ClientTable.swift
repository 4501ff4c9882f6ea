// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning

/// A client process with all its connections.
struct ServerClient: Sendable {
  typealias Key = PeerEvidence

  /// A client's current access to the location.
  enum Access: Equatable {
    case nothing
    case reduced
    case full
  }

  /// The authorization; `nil` until the policy files have been read.
  fileprivate(set) var state: AuthorizationState?
  /// The connections in order of opening.
  fileprivate(set) var connections: [UInt64] = []
  /// The requests that needed an operator's decision when the policy was opened.
  fileprivate(set) var operatorRequests: OperatorRequests = []
  /// Whether a rule, not an operator, decides about the feeds of the client.
  fileprivate(set) var hasRule = false
  /// The authorization that was last sent to the client's streams.
  fileprivate var lastSentAuthorization: DaemonAuthorization?
  /// The end of temporary full accuracy, and the number of the request that granted it.
  fileprivate var lease: (number: UInt64, end: MonotonicTime)?

  var access: Access {
    guard let state, state.mayDeliver else { return .nothing }
    return state.isReduced ? .reduced : .full
  }

  /// Whether an operator has to decide before the client gets locations.
  var waitsForOperator: Bool {
    state?.granted.status == .notDetermined
      && operatorRequests.contains(OperatorRequests(.whenInUse))
  }

  /// Whether a request needs an operator's decision, because no rule or earlier decision applies.
  func needsOperator(_ request: DaemonRequest) -> Bool {
    guard let state else { return false }
    switch request.subject {
    case .status, .metrics, .value, .decision, .webLink, .webSessions, .webEnd: return false
    case .authorization(let daemonRequest):
      guard let authorizationRequest = daemonRequest.kind.request else {
        return state.isReduced && operatorRequests.contains(.temporaryFull)
      }
      return needsOperator(authorizationRequest, state)
    case .location, .events: return request.purpose != nil && needsOperator(.whenInUse, state)
    }
  }

  private func needsOperator(_ request: AuthorizationRequest, _ state: AuthorizationState) -> Bool {
    state.pending == nil && state.granted.status != .authorizedAlways
      && !state.granted.status.isRefused && operatorRequests.contains(OperatorRequests(request))
  }
}

/// The connected clients: their connections, their authorization and their pending requests.
struct ClientTable: Sendable {
  typealias Key = ServerClient.Key
  /// A request that was made: its number, and the action that asks the policy.
  typealias Request = (number: UInt64, action: ServerCore.Action)

  /// The authorization of a client before and after a change.
  struct Change {
    let before: AuthorizationState
    let after: AuthorizationState

    /// Whether locations that were queued before the change must not be sent.
    var isNarrowed: Bool {
      before.mayDeliver && (!after.mayDeliver || (!before.isReduced && after.isReduced))
    }
    /// Whether the client may read values that it could not read before.
    var isWidened: Bool {
      after.mayDeliver && (!before.mayDeliver || before.isReduced != after.isReduced)
    }
  }

  private var clients: [Key: ServerClient] = [:]
  /// Users whose programs, if run in a shell, are authorized unless a rule or decision applies.
  private let trustedUsers: Set<UInt32>
  /// Formats a command line for messages.
  private let command: @Sendable ([String]) -> String
  /// Returns the words of a selector for messages.
  private let words: @Sendable (ClientSelector) -> [String]

  init(
    trustedUsers: Set<UInt32>, command: @escaping @Sendable ([String]) -> String,
    words: @escaping @Sendable (ClientSelector) -> [String]
  ) {
    self.trustedUsers = trustedUsers
    self.command = command
    self.words = words
  }

  var isEmpty: Bool { clients.isEmpty }

  /// The number of clients whose request waits for an operator.
  var pendingCount: Int { clients.values.count { $0.state?.pending != nil } }

  subscript(key: Key) -> ServerClient? { clients[key] }

  func access(of key: Key) -> ServerClient.Access { clients[key]?.access ?? .nothing }

  func count(with access: ServerClient.Access) -> Int {
    clients.values.count { $0.access == access }
  }

  // MARK: Connections

  /// Adds a connection to a client, and opens the policy of a new client.
  mutating func add(_ id: UInt64, to key: Key) -> [ServerCore.Action] {
    guard let connections = clients[key]?.connections else {
      clients[key] = ServerClient(connections: [id])
      return [.openPolicy(key, base: base(of: key.identity))]
    }
    // A connection may send its request before an older connection does.
    let index = connections.firstIndex { $0 > id } ?? connections.endIndex
    clients[key]?.connections.insert(id, at: index)
    return []
  }

  /// Removes a connection from a client, and closes the policy of a client without connections.
  mutating func remove(_ id: UInt64, from key: Key) -> [ServerCore.Action] {
    clients[key]?.connections.removeAll { $0 == id }
    guard clients[key]?.connections.isEmpty ?? false else { return [] }
    clients[key] = nil
    return [.closePolicy(key)]
  }

  /// The authorization of a client if no rule or decision applies to it; `nil` if not determined.
  ///
  /// Programs that root or another trusted user runs in a shell need no decision: such a user could
  /// open the receiver directly, or make the decision.
  func base(of identity: ClientIdentity) -> AuthorizationStatus? {
    identity.isLogin && trustedUsers.contains(identity.userID) ? .authorizedAlways : nil
  }

  // MARK: Authorization

  /// Stores the authorization of a client, whose policy has been read, and returns the connections
  /// that were waiting for it; `nil` if the client has none any more.
  mutating func open(
    _ key: Key, _ state: AuthorizationState, _ operatorRequests: OperatorRequests
  ) -> [UInt64]? {
    guard let client = clients[key] else { return nil }
    guard client.state == nil else { return [] }
    clients[key]?.state = state
    clients[key]?.operatorRequests = operatorRequests
    return client.connections
  }

  /// Changes the authorization of a client; returns `nil` if its policy has not been read.
  mutating func change(_ key: Key, _ update: (inout AuthorizationState) -> Void) -> Change? {
    guard let before = clients[key]?.state else { return nil }
    var after = before
    update(&after)
    clients[key]?.state = after
    if after.lease == nil { clients[key]?.lease = nil }
    return Change(before: before, after: after)
  }

  /// Returns a client's authorization as sent to the client; `nil` until the policy has been read.
  func authorization(of key: Key) -> DaemonAuthorization? {
    guard let client = clients[key], let state = client.state else { return nil }
    let needsAdvice = state.granted.status.isRefused || client.waitsForOperator
    return DaemonAuthorization(
      state.effective, isPending: state.pending != nil, isDeniedGlobally: state.isDeniedGlobally,
      advice: needsAdvice ? refusal(of: key).advice : nil)
  }

  /// Returns a client's authorization if it has changed since the last call.
  mutating func takeChangedAuthorization(of key: Key) -> DaemonAuthorization? {
    guard let authorization = authorization(of: key),
      authorization != clients[key]?.lastSentAuthorization
    else { return nil }
    clients[key]?.lastSentAuthorization = authorization
    return authorization
  }

  /// The reason why a client gets no location, with the command that gives it access.
  func refusal(of key: Key) -> DaemonFault {
    let state = clients[key]?.state
    let identity = key.identity
    // Only root can make decisions.
    let auth = (identity.userID == 0 ? [] : ["sudo"]) + ["fixcast", "auth"]
    let words = words(identity.evidence)
    let client = words.joined(separator: " ")
    let allow = command(auth + ["allow"] + words)
    switch state?.granted.status {
    case .notDetermined:
      return .notDetermined(
        "location access for \(client) has not been decided yet",
        advice: "allow it with: \(allow)")
    case nil, .restricted:
      let explain = command(auth + ["explain"] + words)
      return .notAuthorized(
        "location access for \(client) is locked by the administrator, "
          + "or the policy cannot be read",
        advice: "see: \(explain)")
    case .denied where state?.isDeniedGlobally == true:
      return .notAuthorized(
        "location is switched off for the whole board",
        advice: "switch it on with: \(command(auth + ["reset", "everyone"]))")
    case .denied, .authorizedWhenInUse, .authorizedAlways:
      return .notAuthorized(
        "\(client) is not allowed to access the location", advice: "allow it with: \(allow)")
    }
  }

  // MARK: Requests

  /// Makes a request; returns `nil` if it is already decided, or another request is pending.
  mutating func ask(_ request: AuthorizationRequest, purpose: String, for key: Key) -> Request? {
    clients[key]?.state?.ask(request, purpose: purpose)
      .map { ($0, .ask(key, request, purpose: purpose, number: $0)) }
  }

  /// Makes a request that the policy answers without an operator; `nil` if there is none to make.
  ///
  /// Default rules apply once a request is made. A request that needs an operator is not made.
  mutating func applyRules(purpose: String, to key: Key) -> Request? {
    guard let client = clients[key], client.state?.granted.status == .notDetermined,
      !client.waitsForOperator
    else { return nil }
    return ask(.whenInUse, purpose: purpose, for: key)
  }

  /// Records that a rule decides about the feeds of a client.
  mutating func markRule(of key: Key) { clients[key]?.hasRule = true }

  // MARK: Temporary full accuracy

  /// Sets the end of temporary full accuracy, if it was granted by the request with this number.
  mutating func setLease(of key: Key, _ number: UInt64, end: MonotonicTime) {
    if clients[key]?.state?.lease == number { clients[key]?.lease = (number, end) }
  }

  /// The time at which the first temporary full accuracy ends; `nil` if none was granted.
  var nextLeaseEnd: MonotonicTime? { clients.values.compactMap(\.lease?.end).min() }

  /// Removes and returns the clients whose temporary full accuracy has ended, with the numbers of
  /// the requests that granted it.
  mutating func takeEndedLeases(at now: MonotonicTime) -> [(key: Key, number: UInt64)] {
    let ended = clients.compactMap { key, client in
      client.lease.flatMap { $0.end <= now ? (key: key, number: $0.number) : nil }
    }
    for (key, _) in ended { clients[key]?.lease = nil }
    return ended
  }
}

extension DaemonAuthorizationRequest.Kind {
  /// The authorization request with the same name; `nil` for temporary full accuracy.
  var request: AuthorizationRequest? { AuthorizationRequest(rawValue: rawValue) }
}
