// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning

/// The values that are returned at once, limited by the access of the client.
enum ServerValues {
  /// Returns a value as a JSON object that reveals the position.
  ///
  /// - Throws: The reason why a client with this access gets no value.
  static func object(
    _ value: DaemonValue, for access: ServerClient.Access, _ server: inout ServerState
  ) throws(DaemonFault) -> [UInt8] {
    switch value {
    case .page, .authorization, .places: throw .notFound
    case .lastLocation:
      let json = location(isReduced: access == .reduced, maxAge: .infinity, &server)
      guard let json else { throw .noLastFix }
      return json
    case .sky, .track:
      guard access == .full else { throw .fullAccuracyOnly }
      if value == .track { return track(server.latest.track.points(at: server.now)) }
      guard let sky = server.latest.sky(at: server.now) else { throw .noValue("sky") }
      var line = JSONLine()
      line.appendSKY(sky, device: sky.source)
      return line.bytes
    case .weather, .forecast:
      let name = value == .weather ? "WEATHER" : "FORECAST"
      guard let json = server.latest.object(name, for: access, at: server.now) else {
        throw .noValue(name.lowercased())
      }
      return json
    }
  }

  /// Returns the current position as `TPV`, or else the last one if it is at most `maxAge` seconds
  /// old.
  static func location(isReduced: Bool, maxAge: Double?, _ server: inout ServerState) -> [UInt8]? {
    let now = server.now
    let current =
      isReduced
      ? server.reduce()
      : server.latest.fresh(within: server.connections.limits.freshSeconds, at: now)
    let last = maxAge.flatMap { server.latest.last(within: $0, isReduced: isReduced, at: now) }
    guard let fix = current ?? last else { return nil }
    var line = JSONLine(reservingCapacity: 512)
    line.appendTPV(fix, now: now, isLast: current == nil)
    return line.bytes
  }

  /// Returns the coordinate for which a client may read the nearest places.
  static func coordinate(
    for access: ServerClient.Access, _ server: inout ServerState
  ) -> Coordinate? {
    let reduced = access == .full ? nil : server.reduce()
    let fix =
      reduced ?? server.latest.last(within: .infinity, isReduced: access != .full, at: server.now)
    return fix?.coordinate
  }

  private static func track(_ points: some Sequence<TrackRing.Point>) -> [UInt8] {
    let points = points.map { point in
      "[\(point.time.secondsSince1970),\(degrees(point.coordinate.latitudeDegrees)),"
        + "\(degrees(point.coordinate.longitudeDegrees))]"
    }
    return Array(#"{"class":"TRACK","points":[\#(points.joined(separator: ","))]}\#n"#.utf8)
  }

  /// Writes an angle with six decimals, about 0.1 m.
  private static func degrees(_ value: Double) -> String {
    let millionths = Int((value * 1e6).rounded())
    let fraction = String(millionths.magnitude % 1_000_000)
    let zeros = String(repeating: "0", count: 6 - fraction.count)
    return "\(millionths < 0 ? "-" : "")\(millionths.magnitude / 1_000_000).\(zeros)\(fraction)"
  }
}
