// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning

/// The values that are returned at once, as far as the client may know them.
extension ServerCore {
  private static let valuePurpose = "Read the position, the satellites or the weather"

  /// Returns a value after the policy has applied its rules to the client.
  mutating func beginValue(
    _ value: DaemonValue, _ id: ConnectionID, _ key: ServerClient.Key, _ now: MonotonicTime
  ) -> [Action] {
    applyRules(id, key, purpose: server.connections[id]?.request?.purpose ?? Self.valuePurpose, now)
      ?? answerValue(value, id, key, now)
  }

  mutating func answerValue(
    _ value: DaemonValue, _ id: ConnectionID, _ key: ServerClient.Key, _ now: MonotonicTime
  ) -> [Action] {
    guard let state = server.clients[key]?.state else { return [] }
    let access = server.clients.access(of: key)
    switch value {
    case .page:
      let line = StateLine(
        access, server.latest,
        advice: access == .nothing ? server.clients.refusal(key, state).advice : nil, at: now)
      return server.connections.answer(
        id, HTTPAnswer.document(WebPage.index(state: "\(line)")),
        containsLocation: access == .full, now)
    case .authorization:
      if key.identity.isOperator { return [.web(.readRequests(id))] }
      return answerRole(id, key, requests: nil, now)
    case _ where access == .nothing:
      return server.connections.refuse(id, server.clients.refusal(key, state), now)
    case .places:
      guard let coordinate = ServerValues.coordinate(for: access, &server) else {
        return server.connections.refuse(id, .noLastFix, now)
      }
      server.connections.enter(.readingStatus, id)
      return [.web(.readPlaces(id, coordinate))]
    case .lastLocation, .sky, .track, .weather, .forecast:
      do throws(DaemonFault) {
        return answerLocation(try ServerValues.object(value, for: access, &server), id, key, now)
      } catch {
        return server.connections.refuse(id, error, now)
      }
    }
  }

  /// Responds with an object that reveals the position, and records the use.
  mutating func answerLocation(
    _ json: [UInt8], _ id: ConnectionID, _ key: ServerClient.Key, _ now: MonotonicTime
  ) -> [Action] {
    server.connections.startUse(.oneShot, of: id) + server.connections.countLocation(of: id)
      + server.connections.answer(id, HTTPAnswer.object(json), containsLocation: true, now)
  }

  /// Responds with the nearest places, which the daemon has found meanwhile.
  mutating func answerPlaces(
    _ id: ConnectionID, _ coordinate: Coordinate, _ json: [UInt8], _ now: MonotonicTime
  ) -> [Action] {
    guard server.connections[id]?.phase == .readingStatus, let key = server.connections[id]?.client,
      let state = server.clients[key]?.state
    else { return [] }
    // The access may have been reduced or withdrawn meanwhile.
    switch server.clients.access(of: key) {
    case .nothing: return server.connections.refuse(id, server.clients.refusal(key, state), now)
    case .reduced where coordinate != server.latest.reduced?.coordinate:
      return answerValue(.places, id, key, now)
    case .reduced, .full: return answerLocation(json, id, key, now)
    }
  }
}
