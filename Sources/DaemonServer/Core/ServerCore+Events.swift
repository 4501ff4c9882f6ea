// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning

/// The part of the core that publishes events to the streams of authorized clients.
extension ServerCore {
  mutating func publish(_ event: ServerEvent, _ now: MonotonicTime) -> [Action] {
    switch event {
    case .fix(let fix): return publish(fix, now) + publishToFeeds(fix, now)
    case .sentences(let bytes, let source): return publishSentences(bytes, source, now)
    case .sky(let sky):
      server.latest.take(sky, at: now)
      var frame: OutgoingQueue.Frame?
      let actions = broadcast(now) { access, _ in
        guard access == .full else { return nil }
        frame = frame ?? Self.frame(of: sky)
        return frame
      }
      return actions + publishToFeeds(sky, now)
    case .receiver(let receiver, let at):
      return publishToFeeds(GPSDDevice(receiver, activated: receiver.isActive ? at : nil), now)
    case .lost(let loss, let source):
      server.latest.removeValues(of: loss.receiver)
      let frame = Self.frame(of: loss, source)
      return broadcast(now) { access, connection in
        connection.hasReportedLoss = access == .reduced
        return access == .nothing ? nil : frame
      } + publishToFeeds(loss, now)
    case .object(let object):
      server.latest.take(object)
      guard object.isBroadcast, let frame = Self.frame(of: object, now) else { return [] }
      let cell = server.latest.reduced?.coordinate
      return broadcast(now) { access, _ in object.isReadable(access, in: cell) ? frame : nil }
    case .expired(let name, let subject):
      server.latest.removeObjects(name, subject)
      return []
    }
  }

  private mutating func publish(_ fix: Fix, _ now: MonotonicTime) -> [Action] {
    let sendsWithoutPosition = server.latest.take(fix, at: now)
    // Encoded for the first recipient, because gpsd's clients alone need no frame.
    var full: OutgoingQueue.Frame?
    let withoutPosition = sendsWithoutPosition ? Self.frame(of: fix.withoutSky, now) : nil
    let needsReduced = server.connections.contains { connection in
      connection.phase == .streaming && connection.feed == nil
        && connection.includesLocations
        && connection.client.map { server.clients.access(of: $0) } == .reduced
    }
    let reduced =
      needsReduced ? server.latest.reduce(at: now).map { Self.frame(of: Fix($0), now) } : nil
    let version = server.latest.reducedVersion
    var actions = broadcast(now) { access, connection in
      switch access {
      case .nothing: return nil
      case .full:
        connection.locationCount &+= fix.mode > .none ? 1 : 0
        full = full ?? Self.frame(of: fix, now)
        return full
      case .reduced:
        if fix.mode == .none { return withoutPosition }
        // After a loss, send the same reduced location again to show that the receiver is working
        // again.
        guard let reduced, connection.reducedVersion != version || connection.hasReportedLoss else {
          return nil
        }
        (connection.reducedVersion, connection.hasReportedLoss) = (version, false)
        connection.locationCount &+= 1
        return reduced
      }
    }
    for id in server.connections.ids(where: { $0.phase == .locating }) {
      if let key = server.connections[id]?.client { actions += locate(id, key, now) }
    }
    return actions
  }

  /// Sends a frame to each stream.
  ///
  /// `frame` returns `nil` for clients that must not receive the frame.
  private mutating func broadcast(
    _ now: MonotonicTime,
    _ frame: (ServerClient.Access, inout ServerConnection) -> OutgoingQueue.Frame?
  ) -> [Action] {
    var actions: [Action] = []
    for id in server.connections.ids(where: {
      $0.phase == .streaming && $0.feed == nil && $0.includesLocations
    }) {
      guard var connection = server.connections[id], let key = connection.client else { continue }
      let count = connection.locationCount
      guard let frame = frame(server.clients.access(of: key), &connection) else { continue }
      server.connections[id]?.reducedVersion = connection.reducedVersion
      server.connections[id]?.hasReportedLoss = connection.hasReportedLoss
      if connection.locationCount > count { actions += server.connections.countLocation(of: id) }
      actions += server.connections.send(frame, to: id, now)
    }
    return actions
  }

  /// Sends the latest values to a stream that has just started or gained access.
  mutating func sendLatest(
    to id: ConnectionID, _ key: ServerClient.Key, _ now: MonotonicTime
  ) -> [Action] {
    let access = server.clients.access(of: key)
    guard access != .nothing, server.connections[id]?.includesLocations == true,
      server.connections[id]?.feed == nil
    else { return [] }
    var frames: [OutgoingQueue.Frame] = []
    if access == .full {
      if let fix = server.latest.fix { frames.append(Self.frame(of: fix, now)) }
      if let sky = server.latest.sky(at: now) { frames.append(Self.frame(of: sky)) }
    } else if let reduced = server.latest.reduce(at: now) {
      server.connections[id]?.reducedVersion = server.latest.reducedVersion
      server.connections[id]?.hasReportedLoss = false
      frames.append(Self.frame(of: Fix(reduced), now))
    }
    var actions: [Action] = []
    if frames.contains(where: \.containsLocation) {
      actions += server.connections.countLocation(of: id)
    }
    let cell = server.latest.reduced?.coordinate
    frames += server.latest.objects.filter { !$0.isOnRequest && $0.isReadable(access, in: cell) }
      .compactMap { Self.frame(of: $0, now) }
    for frame in frames { actions += server.connections.send(frame, to: id, now) }
    return actions
  }

  // MARK: Frames

  /// Encodes an epoch as one frame: its heading, if known, and its fix.
  private static func frame(of fix: Fix, _ now: MonotonicTime) -> OutgoingQueue.Frame {
    var bytes: [UInt8] = []
    var line = JSONLine(reservingCapacity: 512)
    if let heading = Heading(fix) {
      line.appendATT(heading)
      bytes = OutgoingQueue.Frame.event("ATT", line.bytes)
      line.removeAll()
    }
    line.appendTPV(fix, now: now)
    bytes += OutgoingQueue.Frame.event("TPV", line.bytes)
    return OutgoingQueue.Frame(bytes: bytes, containsLocation: true)
  }

  private static func frame(of sky: SkyView) -> OutgoingQueue.Frame {
    var line = JSONLine()
    line.appendSKY(sky, device: sky.source)
    return OutgoingQueue.Frame(
      bytes: OutgoingQueue.Frame.event("SKY", line.bytes), containsLocation: true)
  }

  /// Encodes the object with its current age; `nil` if it has expired.
  private static func frame(of object: ServerObject, _ now: MonotonicTime) -> OutgoingQueue.Frame? {
    object.json(at: now).map {
      OutgoingQueue.Frame(
        bytes: OutgoingQueue.Frame.event(object.name, $0),
        containsLocation: object.audience != .authorized)
    }
  }

  private static func frame(of loss: SourceLoss, _ source: String) -> OutgoingQueue.Frame {
    let json = SourceLossObject(loss, source: source).json
    return OutgoingQueue.Frame(bytes: OutgoingQueue.Frame.event("ERROR", json))
  }
}
