// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning

/// Sessions of browsers, and decisions about the requests of other programs.
extension ServerCore {
  enum WebEvent: Sendable {
    /// The response, in pieces, does not depend on a client.
    case answered(ConnectionID, [[UInt8]])
    /// The nearest places of a coordinate, as requested by ``WebAction/readPlaces(_:_:)``.
    case places(ConnectionID, Coordinate, [UInt8])
    /// The requests that wait, as a JSON array; without a connection, after a change.
    case requests(ConnectionID?, [UInt8])
    /// The decision was recorded, or the reason why it was not.
    case decided(ConnectionID, DaemonFault?)
    /// A session has ended before its time.
    case sessionEnded(UInt64)
  }

  enum WebAction: Equatable, Sendable {
    case readPlaces(ConnectionID, Coordinate)
    /// Read the requests that wait; without a connection, for the streams of pages.
    case readRequests(ConnectionID?)
    /// Record a decision about the request with this number.
    case decide(ConnectionID, UInt64, DaemonDecision, by: UInt32, reason: String)
  }

  mutating func handle(_ event: WebEvent, _ now: MonotonicTime) -> [Action] {
    switch event {
    case .answered(let id, let pieces): return server.connections.answer(id, pieces, now)
    case .places(let id, let coordinate, let json): return answerPlaces(id, coordinate, json, now)
    case .requests(let id, let json):
      guard let id else { return streams.sendRequests(json, &server) }
      guard let key = server.connections[id]?.client,
        server.connections[id]?.phase == .readingStatus
      else {
        return []
      }
      return answerRole(id, key, requests: json, now)
    case .decided(let id, let fault):
      guard server.connections[id]?.phase == .readingStatus else { return [] }
      if let fault { return server.connections.refuse(id, fault, now) }
      return [.web(.readRequests(id))]
    case .sessionEnded(let number):
      return server.connections.ids { $0.session?.number == number }.map { .abort($0) }
    }
  }

  // MARK: Decisions

  mutating func decide(
    _ decision: DaemonDecision, _ id: ConnectionID, _ key: ServerClient.Key, _ now: MonotonicTime
  ) -> [Action] {
    // Only an operator decides. A service or a container that runs as root could otherwise answer
    // its own request.
    guard key.identity.isOperator else {
      let isRoot = key.identity.userID == 0
      return server.connections.refuse(id, isRoot ? .mayNotDecideInUnit : .mayNotDecide, now)
    }
    guard let number = UInt64(decision.request) else {
      return server.connections.refuse(id, .noRequest, now)
    }
    server.connections.enter(.readingStatus, id)
    let reason =
      server.connections[id]?.session.map { "web session \($0.number), link created by root" }
      ?? "status page through the daemon's socket"
    return [.web(.decide(id, number, decision, by: key.identity.userID, reason: reason))]
  }

  /// Responds with the authorization and the role of a client, and with the requests that wait if the
  /// client may decide.
  mutating func answerRole(
    _ id: ConnectionID, _ key: ServerClient.Key, requests: [UInt8]?, _ now: MonotonicTime
  ) -> [Action] {
    guard let authorization = server.clients.authorization(of: key) else { return [] }
    var json = Array(authorization.json.dropLast(2))
    json += Array(#","role":"\#(requests == nil ? "look" : "decide")""#.utf8)
    if let requests { json += Array(#","requests":"#.utf8) + requests }
    return server.connections.answer(id, HTTPAnswer.object(json + Array("}\n".utf8)), now)
  }
}
