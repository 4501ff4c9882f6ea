// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning

/// Telling what the daemon says to those who may know.
extension ServerCore {
  /// What a client may be told at present.
  enum Reach: Equatable {
    case nothing
    case reduced
    case full
  }

  func reach(of key: ServerClient.Key) -> Reach {
    guard let state = clients[key]?.state, state.mayDeliver else { return .nothing }
    return state.isReduced ? .reduced : .full
  }

  mutating func say(_ event: ServerEvent, _ now: MonotonicTime) -> [Action] {
    switch event {
    case .fix(let fix): return say(fix, now)
    case .sky(let sky):
      latest.take(sky, at: now)
      let frame = Self.frame(of: sky)
      return tell(now) { reach, _ in reach == .full ? frame : nil }
    case .lost(let loss, let source):
      latest.lose(loss.receiver)
      let frame = Self.frame(of: loss, source)
      return tell(now) { reach, connection in
        connection.hasLost = reach == .reduced
        return reach == .nothing ? nil : frame
      }
    case .object(let object):
      latest.take(object)
      guard object.isNews, let frame = Self.frame(of: object, now) else { return [] }
      let cell = latest.reduced?.coordinate
      return tell(now) { reach, _ in Self.mayRead(object, reach, cell) ? frame : nil }
    case .over(let name, let subject):
      latest.end(name, subject)
      return []
    }
  }

  private mutating func say(_ fix: Fix, _ now: MonotonicTime) -> [Action] {
    let tellsWithout = latest.take(fix, at: now)
    let full = Self.frame(of: fix, now)
    let without = tellsWithout ? Self.frame(of: fix.withoutSky, now) : nil
    let wantsReduced = connections.values.contains { connection in
      connection.phase == .streaming && connection.tellsLocations
        && connection.client.map { reach(of: $0) } == .reduced
    }
    let reduced = wantsReduced ? latest.reduce(at: now).map { Self.frame(of: Fix($0), now) } : nil
    let version = latest.reducedVersion
    var actions = tell(now) { reach, connection in
      switch reach {
      case .nothing: return nil
      case .full:
        connection.locationCount &+= fix.mode > .none ? 1 : 0
        return full
      case .reduced:
        if fix.mode == .none { return without }
        // That the receiver is back is no location: the one that was told holds, and is told again.
        guard let reduced, connection.reducedVersion != version || connection.hasLost else {
          return nil
        }
        (connection.reducedVersion, connection.hasLost) = (version, false)
        connection.locationCount &+= 1
        return reduced
      }
    }
    for (id, connection) in connections where connection.phase == .locating {
      if let key = connection.client { actions += locate(id, key, now) }
    }
    return actions
  }

  /// Puts into each stream what the client may be told.
  private mutating func tell(
    _ now: MonotonicTime,
    _ frame: (Reach, inout ServerConnection) -> OutgoingQueue.Frame?
  ) -> [Action] {
    var actions: [Action] = []
    for id in connections.keys.sorted() {
      guard var connection = connections[id], connection.phase == .streaming,
        connection.tellsLocations, let key = connection.client
      else { continue }
      let count = connection.locationCount
      guard let frame = frame(reach(of: key), &connection) else { continue }
      connections[id]?.locationCount = connection.locationCount
      connections[id]?.reducedVersion = connection.reducedVersion
      connections[id]?.hasLost = connection.hasLost
      if count == 0, connection.locationCount > 0 { actions += noteFirstLocation(of: id, key) }
      actions += send(frame, to: id, now)
    }
    return actions
  }

  /// What holds at present, for a stream that begins, or that may have more from now on.
  mutating func sendLatest(
    to id: ConnectionID, _ key: ServerClient.Key, _ now: MonotonicTime
  ) -> [Action] {
    let reach = reach(of: key)
    guard reach != .nothing, connections[id]?.tellsLocations == true else { return [] }
    var frames: [OutgoingQueue.Frame] = []
    if reach == .full {
      if let fix = latest.fix { frames.append(Self.frame(of: fix, now)) }
      if let sky = latest.sky(at: now) { frames.append(Self.frame(of: sky)) }
    } else if let reduced = latest.reduce(at: now) {
      connections[id]?.reducedVersion = latest.reducedVersion
      connections[id]?.hasLost = false
      frames.append(Self.frame(of: Fix(reduced), now))
    }
    var actions: [Action] = []
    if frames.contains(where: \.containsLocation) {
      if connections[id]?.locationCount == 0 { actions += noteFirstLocation(of: id, key) }
      connections[id]?.locationCount &+= 1
    }
    let cell = latest.reduced?.coordinate
    frames += latest.objects.filter { Self.mayRead($0, reach, cell) }
      .compactMap { Self.frame(of: $0, now) }
    for frame in frames { actions += send(frame, to: id, now) }
    return actions
  }

  private static func mayRead(_ object: ServerObject, _ reach: Reach, _ cell: Coordinate?) -> Bool {
    switch (object.audience, reach) {
    case (_, .nothing): false
    case (.authorized, _): true
    case (.fullAccuracy, .full): true
    case (.cell(let coordinate), .reduced): coordinate == cell
    case (.fullAccuracy, .reduced), (.cell, .full): false
    }
  }

  // MARK: Frames

  private static func frame(of fix: Fix, _ now: MonotonicTime) -> OutgoingQueue.Frame {
    var line = JSONLine(reservingCapacity: 512)
    line.appendTPV(fix, now: now)
    return OutgoingQueue.Frame(
      bytes: OutgoingQueue.Frame.event("TPV", line.bytes), containsLocation: true)
  }

  private static func frame(of sky: SkyView) -> OutgoingQueue.Frame {
    var line = JSONLine()
    line.appendSKY(sky, device: sky.source)
    return OutgoingQueue.Frame(
      bytes: OutgoingQueue.Frame.event("SKY", line.bytes), containsLocation: true)
  }

  /// The object with its age of now; `nil` where it is too old to be told.
  private static func frame(of object: ServerObject, _ now: MonotonicTime) -> OutgoingQueue.Frame? {
    object.json(at: now).map {
      OutgoingQueue.Frame(
        bytes: OutgoingQueue.Frame.event(object.name, $0),
        containsLocation: object.audience != .authorized)
    }
  }

  private static func frame(of loss: SourceLoss, _ source: String) -> OutgoingQueue.Frame {
    let json = ServedLoss(loss, source: source).json
    return OutgoingQueue.Frame(bytes: OutgoingQueue.Frame.event("ERROR", json))
  }
}
