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
    default: break
    }
    if access == .nothing {
      return server.connections.refuse(id, server.clients.refusal(key, state), now)
    }
    switch value {
    case .page, .authorization: return []
    case .lastLocation: return answerLastLocation(id, key, now)
    case .sky, .track:
      guard access == .full else { return server.connections.refuse(id, .fullAccuracyOnly, now) }
      if value == .track { return answerLocation(trackObject(now), id, key, now) }
      guard let sky = server.latest.sky(at: now) else {
        return server.connections.refuse(id, .noValue("sky"), now)
      }
      var line = JSONLine()
      line.appendSKY(sky, device: sky.source)
      return answerLocation(line.bytes, id, key, now)
    case .weather, .forecast:
      let name = value == .weather ? "WEATHER" : "FORECAST"
      guard let json = server.latest.object(name, for: access, at: now) else {
        return server.connections.refuse(
          id, .noValue(value == .weather ? "weather" : "forecast"), now)
      }
      return answerLocation(json, id, key, now)
    case .places:
      let fix =
        access == .full
        ? server.latest.last(within: .infinity, isReduced: false, at: now)
        : (server.latest.reduce(at: now).map { Fix($0) }
          ?? server.latest.last(within: .infinity, isReduced: true, at: now))
      guard let coordinate = fix?.coordinate else {
        return server.connections.refuse(id, .noLastFix, now)
      }
      server.connections.enter(.readingStatus, id)
      return [.web(.readPlaces(id, coordinate))]
    }
  }

  private mutating func answerLastLocation(
    _ id: ConnectionID, _ key: ServerClient.Key, _ now: MonotonicTime
  ) -> [Action] {
    let isReduced = server.clients.access(of: key) == .reduced
    let current =
      isReduced
      ? server.latest.reduce(at: now).map { Fix($0) }
      : server.latest.fresh(within: server.connections.limits.freshSeconds, at: now)
    let fix = current ?? server.latest.last(within: .infinity, isReduced: isReduced, at: now)
    guard let fix else { return server.connections.refuse(id, .noLastFix, now) }
    var line = JSONLine(reservingCapacity: 512)
    line.appendTPV(fix, now: now, isLast: current == nil)
    return answerLocation(line.bytes, id, key, now)
  }

  private func trackObject(_ now: MonotonicTime) -> [UInt8] {
    var text = #"{"class":"TRACK","points":["#
    let points = server.latest.track.points(at: now).map { point in
      "[\(point.time.secondsSince1970),\(Self.degrees(point.coordinate.latitudeDegrees)),"
        + "\(Self.degrees(point.coordinate.longitudeDegrees))]"
    }
    text += points.joined(separator: ",") + "]}\n"
    return Array(text.utf8)
  }

  /// Writes an angle with six decimals, about 0.1 m.
  private static func degrees(_ value: Double) -> String {
    let millionths = Int((value * 1e6).rounded())
    let fraction = String(millionths.magnitude % 1_000_000)
    let zeros = String(repeating: "0", count: 6 - fraction.count)
    return "\(millionths < 0 ? "-" : "")\(millionths.magnitude / 1_000_000).\(zeros)\(fraction)"
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
