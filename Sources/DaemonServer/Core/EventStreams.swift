// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning

/// The streams of events as JSON: which stream receives which frame.
struct EventStreams: Sendable {
  typealias Action = ServerCore.Action
  private typealias Frame = OutgoingQueue.Frame

  private struct Stream: Sendable {
    let id: UInt64
    let client: ServerClient.Key
    /// Whether the stream includes locations; if false, it contains only the client's authorization.
    let includesLocations: Bool
    /// Whether the stream is that of a page whose user answers pending requests.
    let includesRequests: Bool
    /// The requests that wait, as last sent to a page.
    var sentRequests: [UInt8]?
    /// The version of the last reduced location that was sent.
    var reducedVersion: UInt64 = 0
    /// Whether a source loss, but no later location, was sent to the client.
    ///
    /// Used for reduced accuracy only.
    var hasReportedLoss = false
  }

  /// The streams in order of opening of their connections.
  private var streams: [Stream] = []

  /// Whether a page lists the requests that wait.
  var wantsRequests: Bool { streams.contains(where: \.includesRequests) }

  // MARK: Starting and ending

  mutating func start(
    _ id: UInt64, _ key: ServerClient.Key, _ request: DaemonRequest, _ server: inout ServerState
  ) -> [Action] {
    guard let authorization = server.clients.authorization(of: key) else { return [] }
    // The stream ends with its session.
    server.connections.enter(.streaming, id, until: server.connections[id]?.session?.end)
    var actions =
      request.includesLocations ? server.connections.startUse(.updates, of: id) : []
    // The client's other streams are notified of the request too.
    actions += sendAuthorization(of: key, &server)
    let stream = Stream(
      id: id, client: key, includesLocations: request.includesLocations,
      includesRequests: request.isPage && key.identity.isOperator)
    streams.insert(stream, at: streams.firstIndex { $0.id > id } ?? streams.endIndex)
    var head = HTTPAnswer.stream(heartbeatSeconds: server.connections.limits.heartbeatSeconds)
    if request.isPage { head += Array("id: 0\n".utf8) }
    let frame = Frame(bytes: head + Frame.event("AUTH", authorization.json), state: .authorization)
    actions += server.send(frame, to: id) + sendLatest(to: id, &server)
    if stream.includesRequests { actions.append(.web(.readRequests(nil))) }
    return actions
  }

  mutating func end(_ id: UInt64) { streams.removeAll { $0.id == id } }

  /// Sends the latest values to a stream that has just started or gained access.
  mutating func sendLatest(to id: UInt64, _ server: inout ServerState) -> [Action] {
    guard let index = streams.firstIndex(where: { $0.id == id }), streams[index].includesLocations
    else { return [] }
    let now = server.now
    let access = server.access(of: streams[index].client, on: id)
    var frames: [Frame] = []
    switch access {
    case .nothing: return []
    case .full:
      if let fix = server.latest.fix { frames.append(Self.frame(of: fix, now)) }
      if let sky = server.latest.sky(at: now) { frames.append(Self.frame(of: sky)) }
    case .reduced:
      guard let reduced = server.reduce() else { break }
      streams[index].reducedVersion = server.latest.reducedVersion
      streams[index].hasReportedLoss = false
      frames.append(Self.frame(of: reduced, now))
    }
    var actions = frames.isEmpty ? [] : server.connections.countLocation(of: id)
    let cell = server.latest.reduced?.coordinate
    frames += server.latest.objects.filter { !$0.isOnRequest && $0.isReadable(access, in: cell) }
      .compactMap { Self.frame(of: $0, now) }
    for frame in frames { actions += server.send(frame, to: id) }
    return actions
  }

  // MARK: Publishing

  /// Sends an epoch.
  ///
  /// If `notifiesReduced` is true, clients with reduced accuracy are notified that it has no position.
  mutating func publish(
    _ fix: Fix, notifiesReduced: Bool, _ server: inout ServerState
  ) -> [Action] {
    let now = server.now
    // Encoded for the first recipient, because gpsd's clients alone need no frame.
    var full: Frame?
    let withoutPosition = notifiesReduced ? Self.frame(of: fix.withoutSky, now) : nil
    let needsReduced = streams.contains { stream in
      stream.includesLocations && server.access(of: stream.client, on: stream.id) == .reduced
    }
    let reduced = needsReduced ? server.reduce().map { Self.frame(of: $0, now) } : nil
    let version = server.latest.reducedVersion
    return broadcast(isLocation: fix.mode > .none, &server) { access, stream in
      switch access {
      case .nothing: return nil
      case .full:
        full = full ?? Self.frame(of: fix, now)
        return full
      case .reduced:
        if fix.mode == .none { return withoutPosition }
        // After a loss, send the same reduced location again to show that the receiver is working
        // again.
        guard let reduced, stream.reducedVersion != version || stream.hasReportedLoss else {
          return nil
        }
        (stream.reducedVersion, stream.hasReportedLoss) = (version, false)
        return reduced
      }
    }
  }

  mutating func publish(_ sky: SkyView, _ server: inout ServerState) -> [Action] {
    var frame: Frame?
    return broadcast(&server) { access, _ in
      guard access == .full else { return nil }
      frame = frame ?? Self.frame(of: sky)
      return frame
    }
  }

  mutating func publish(
    _ loss: SourceLoss, source: String, _ server: inout ServerState
  ) -> [Action] {
    let json = SourceLossObject(loss, source: source).json
    let frame = Frame(bytes: Frame.event("ERROR", json))
    return broadcast(&server) { access, stream in
      guard access != .nothing else { return nil }
      stream.hasReportedLoss = access == .reduced
      return frame
    }
  }

  mutating func publish(_ object: ServerObject, _ server: inout ServerState) -> [Action] {
    guard object.isBroadcast, let frame = Self.frame(of: object, server.now) else { return [] }
    let cell = server.latest.reduced?.coordinate
    return broadcast(&server) { access, _ in
      object.isReadable(access, in: cell) ? frame : nil
    }
  }

  /// Sends a frame to each stream.
  ///
  /// `frame` returns `nil` for clients that must not receive the frame. It is called with the access
  /// that the client has now.
  private mutating func broadcast(
    isLocation: Bool = false, _ server: inout ServerState,
    _ frame: (ServerClient.Access, inout Stream) -> Frame?
  ) -> [Action] {
    var actions: [Action] = []
    for index in streams.indices where streams[index].includesLocations {
      let id = streams[index].id
      let access = server.access(of: streams[index].client, on: id)
      guard let frame = frame(access, &streams[index]) else { continue }
      if isLocation { actions += server.connections.countLocation(of: id) }
      actions += server.send(frame, to: id)
    }
    return actions
  }

  /// Sends a client's authorization to the client's streams if the authorization has changed.
  mutating func sendAuthorization(
    of key: ServerClient.Key, _ server: inout ServerState
  ) -> [Action] {
    guard let authorization = server.clients.takeChangedAuthorization(of: key) else { return [] }
    let frame = Frame(bytes: Frame.event("AUTH", authorization.json), state: .authorization)
    var actions: [Action] = []
    for stream in streams where stream.client == key && server.connections.isStreaming(stream.id) {
      actions += server.send(frame, to: stream.id)
    }
    return actions
  }

  /// Sends the requests that wait to pages, as a JSON array.
  mutating func sendRequests(_ json: [UInt8], _ server: inout ServerState) -> [Action] {
    let object = Array(#"{"class":"REQUESTS","requests":"#.utf8) + json + Array("}\n".utf8)
    let frame = Frame(bytes: Frame.event("REQUESTS", object), state: .requests)
    var actions: [Action] = []
    for index in streams.indices
    where streams[index].includesRequests && streams[index].sentRequests != json
      && server.connections.isStreaming(streams[index].id)
    {
      streams[index].sentRequests = json
      actions += server.send(frame, to: streams[index].id)
    }
    return actions
  }

  // MARK: Frames

  /// Encodes an epoch as one frame: its heading, if known, and its fix.
  private static func frame(of fix: Fix, _ now: MonotonicTime) -> Frame {
    var bytes: [UInt8] = []
    var line = JSONLine(reservingCapacity: 512)
    if let heading = Heading(fix) {
      line.appendATT(heading)
      bytes = Frame.event("ATT", line.bytes)
      line.removeAll()
    }
    line.appendTPV(fix, now: now)
    bytes += Frame.event("TPV", line.bytes)
    return Frame(bytes: bytes, containsLocation: true)
  }

  private static func frame(of sky: SkyView) -> Frame {
    var line = JSONLine()
    line.appendSKY(sky, device: sky.source)
    return Frame(bytes: Frame.event("SKY", line.bytes), containsLocation: true)
  }

  /// Encodes the object with its current age; `nil` if it has expired.
  private static func frame(of object: ServerObject, _ now: MonotonicTime) -> Frame? {
    object.json(at: now).map {
      Frame(
        bytes: Frame.event(object.name, $0), containsLocation: object.audience != .authorized)
    }
  }
}
