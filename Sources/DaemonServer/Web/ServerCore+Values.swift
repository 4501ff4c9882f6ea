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
    applyRules(id, key, purpose: connections[id]?.request?.purpose ?? Self.valuePurpose, now)
      ?? answerValue(value, id, key, now)
  }

  mutating func answerValue(
    _ value: DaemonValue, _ id: ConnectionID, _ key: ServerClient.Key, _ now: MonotonicTime
  ) -> [Action] {
    guard let state = clients[key]?.state else { return [] }
    let access = clients.access(of: key)
    switch value {
    case .page:
      let line = StateLine(
        access, latest,
        advice: access == .nothing ? clients.refusal(key, state).advice : nil, at: now)
      return connections.answer(
        id, HTTPAnswer.document(WebPage.index(state: "\(line)")),
        containsLocation: access == .full, now)
    case .authorization:
      if key.identity.isOperator { return [.web(.readRequests(id))] }
      return answerRole(id, key, requests: nil, now)
    default: break
    }
    if access == .nothing { return connections.refuse(id, clients.refusal(key, state), now) }
    switch value {
    case .page, .authorization: return []
    case .lastLocation: return answerLastLocation(id, key, now)
    case .sky, .track:
      guard access == .full else { return connections.refuse(id, .fullAccuracyOnly, now) }
      if value == .track { return answerLocation(trackObject(now), id, key, now) }
      guard let sky = latest.sky(at: now) else {
        return connections.refuse(id, .noValue("sky"), now)
      }
      var line = JSONLine()
      line.appendSKY(sky, device: sky.source)
      return answerLocation(line.bytes, id, key, now)
    case .weather, .forecast:
      let name = value == .weather ? "WEATHER" : "FORECAST"
      guard let json = latest.object(name, for: access, at: now) else {
        return connections.refuse(id, .noValue(value == .weather ? "weather" : "forecast"), now)
      }
      return answerLocation(json, id, key, now)
    case .places:
      let fix =
        access == .full
        ? latest.last(within: .infinity, isReduced: false, at: now)
        : (latest.reduce(at: now).map { Fix($0) }
          ?? latest.last(within: .infinity, isReduced: true, at: now))
      guard let coordinate = fix?.coordinate else { return connections.refuse(id, .noLastFix, now) }
      connections.enter(.readingStatus, id)
      return [.web(.readPlaces(id, coordinate))]
    }
  }

  private mutating func answerLastLocation(
    _ id: ConnectionID, _ key: ServerClient.Key, _ now: MonotonicTime
  ) -> [Action] {
    let isReduced = clients.access(of: key) == .reduced
    let current =
      isReduced
      ? latest.reduce(at: now).map { Fix($0) }
      : latest.fresh(within: connections.limits.freshSeconds, at: now)
    let fix = current ?? latest.last(within: .infinity, isReduced: isReduced, at: now)
    guard let fix else { return connections.refuse(id, .noLastFix, now) }
    var line = JSONLine(reservingCapacity: 512)
    line.appendTPV(fix, now: now, isLast: current == nil)
    return answerLocation(line.bytes, id, key, now)
  }

  private func trackObject(_ now: MonotonicTime) -> [UInt8] {
    var text = #"{"class":"TRACK","points":["#
    let points = latest.track.points(at: now).map { point in
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
    connections.startUse(.oneShot, of: id) + connections.countLocation(of: id)
      + connections.answer(id, HTTPAnswer.object(json), containsLocation: true, now)
  }

  /// Responds with the nearest places, which the daemon has found meanwhile.
  mutating func answerPlaces(
    _ id: ConnectionID, _ coordinate: Coordinate, _ json: [UInt8], _ now: MonotonicTime
  ) -> [Action] {
    guard connections[id]?.phase == .readingStatus, let key = connections[id]?.client,
      let state = clients[key]?.state
    else { return [] }
    // The access may have been reduced or withdrawn meanwhile.
    switch clients.access(of: key) {
    case .nothing: return connections.refuse(id, clients.refusal(key, state), now)
    case .reduced where coordinate != latest.reduced?.coordinate:
      return answerValue(.places, id, key, now)
    case .reduced, .full: return answerLocation(json, id, key, now)
    }
  }
}
