// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning

/// The protocol of a feed: a connection that receives positions without an HTTP request.
///
/// The client of a feed states no purpose, so it never creates a pending request.
package enum FeedProtocol: String, CaseIterable, Sendable {
  case gpsd
  case nmea
}

/// The feeds: which client of gpsd or NMEA 0183 receives which reports.
///
/// Clients with full accuracy receive each epoch. All other clients receive the reports of
/// ``sendReports(_:)``, whose times reveal nothing about the epochs.
struct FeedStreams: Sendable {
  typealias Action = ServerCore.Action

  private struct Feed: Sendable {
    let id: UInt64
    let client: ServerClient.Key
    /// The requests and settings of a gpsd client; `nil` for NMEA 0183.
    var session: GPSDSession?
    /// The time of the next report to a client without full accuracy.
    var reportDeadline: MonotonicTime?
    /// Whether the client was told why it has no access.
    var hasReportedRefusal = false

    var wantsJSON: Bool { session?.wantsJSON ?? false }
    var wantsNMEA: Bool { session?.wantsNMEA ?? true }
    var wantsReports: Bool { wantsJSON || wantsNMEA }

    func watches(_ receiver: String?) -> Bool { session?.watches(receiver) ?? true }
  }

  /// The time between the reports to a client without full accuracy, in seconds.
  ///
  /// Some clients of gpsd reconnect if they receive nothing for a few seconds.
  static let reportSeconds = 1.0
  /// The purpose of requests that the policy answers without an operator.
  private static let purpose = "Send positions to a program that uses gpsd or NMEA 0183"

  /// The version in the greeting of gpsd clients.
  private let gpsdVersion: GPSDVersion
  /// The feeds in order of opening of their connections.
  private var feeds: [Feed] = []

  init(gpsdVersion: GPSDVersion) { self.gpsdVersion = gpsdVersion }

  /// Whether a client may read the sentences of the receiver, and reads them.
  func wantsSentences(_ server: ServerState) -> Bool {
    feeds.contains { $0.wantsNMEA && server.access(of: $0.client, on: $0.id) == .full }
  }

  // MARK: Starting and ending

  /// Starts the feed of an admitted connection.
  ///
  /// A gpsd client is greeted before its policy has been read.
  mutating func start(_ id: UInt64, _ key: ServerClient.Key, _ server: inout ServerState)
    -> [Action]
  {
    guard let connection = server.connections[id], connection.phase == .reading,
      let feed = connection.feed
    else { return [] }
    server.connections.accept(id, from: key)
    server.connections.enter(.streaming, id)
    let session = feed == .gpsd ? GPSDSession(version: gpsdVersion) : nil
    feeds.insert(
      Feed(id: id, client: key, session: session),
      at: feeds.firstIndex { $0.id > id } ?? feeds.endIndex)
    var actions: [Action] = []
    if session != nil {
      actions += server.send(.init(bytes: GPSDSession.greeting(gpsdVersion)), to: id)
    }
    actions += server.clients.add(id, to: key)
    return actions + begin(id, &server)
  }

  mutating func end(_ id: UInt64) { feeds.removeAll { $0.id == id } }

  /// Starts to send reports, if the policy has been read.
  mutating func begin(_ id: UInt64, _ server: inout ServerState) -> [Action] {
    guard let index = feeds.firstIndex(where: { $0.id == id }),
      server.clients[feeds[index].client]?.state != nil, server.connections.isStreaming(id)
    else { return [] }
    var actions = server.connections.startUse(.updates, of: id)
    if let asked = server.clients.applyRules(purpose: Self.purpose, to: feeds[index].client) {
      server.clients.markRule(of: feeds[index].client)
      actions.append(asked.action)
    }
    scheduleReport(index, server)
    return actions
  }

  // MARK: Requests

  /// Handles the bytes of a gpsd client; other clients are not expected to send any.
  mutating func receive(
    _ bytes: [UInt8], _ id: UInt64, _ utcNow: UTCTime?, _ server: inout ServerState
  ) -> [Action] {
    guard let index = feeds.firstIndex(where: { $0.id == id }), feeds[index].session != nil,
      server.connections.isStreaming(id)
    else { return [] }
    let view = view(of: feeds[index].client, utcNow, &server)
    guard let answers = feeds[index].session?.receive(bytes, view) else { return [] }
    if feeds[index].session?.isHTTP == true { return server.connections.evict(id, server.now) }
    scheduleReport(index, server)
    guard !answers.isEmpty else { return [] }
    let count = view.fix?.coordinate == nil ? [] : server.connections.countLocation(of: id)
    let containsLocation = view.fix != nil || view.sky != nil
    return count + server.send(.init(bytes: answers, containsLocation: containsLocation), to: id)
  }

  /// Returns the values that a client may see.
  private func view(
    of key: ServerClient.Key, _ utcNow: UTCTime?, _ server: inout ServerState
  ) -> GPSDView {
    var view = GPSDView()
    view.devices = server.latest.devices
    view.now = utcNow
    switch server.access(of: key) {
    case .nothing: break
    case .reduced: view.fix = server.reduce()
    case .full:
      view.fix = server.latest.fix
      view.sky = server.latest.sky(at: server.now)
      view.monotonicNow = server.now
    }
    return view
  }

  // MARK: Clients with full accuracy

  /// Sends an epoch to clients with full accuracy.
  ///
  /// If the sentences of the receiver were sent for this epoch, no other sentences are sent.
  func publish(_ fix: Fix, _ server: inout ServerState) -> [Action] {
    let hasSentences = fix.source.map { server.latest.takeSentenceMark(of: $0) } ?? false
    let now = server.now
    let sky = server.latest.sky(at: now).flatMap { $0.source == fix.source ? $0 : nil }
    // Each value is encoded at most once in each format, however many clients receive it.
    var (json, nmea): ([UInt8]?, [UInt8]?)
    return addDevice(of: fix, &server)
      + broadcast(isLocation: fix.mode > .none, &server) { feed in
        guard feed.watches(fix.source), feed.wantsReports else { return nil }
        var bytes: [UInt8] = []
        if feed.wantsJSON {
          json = json ?? feed.session?.frame(of: fix, now: now)
          bytes += json ?? []
        }
        if feed.wantsNMEA, !hasSentences {
          nmea = nmea ?? NMEAEpoch.sentences(of: fix, sky: sky)
          bytes += nmea ?? []
        }
        return bytes
      }
  }

  /// Adds the receiver of a fix if its source has not reported it, as for a named serial port.
  private func addDevice(of fix: Fix, _ server: inout ServerState) -> [Action] {
    guard let name = fix.source, !server.latest.hasDevice(name) else { return [] }
    var receiver = ReceiverInfo(name: name, isActive: true)
    receiver.driver = "NMEA0183"
    return publish(GPSDDevice(receiver, activated: fix.time), &server)
  }

  /// Sends the sentences of a receiver, in place of sentences made from its next fix.
  func publishSentences(
    _ bytes: [UInt8], _ source: String, _ server: inout ServerState
  ) -> [Action] {
    var isSent = false
    let actions = broadcast(&server) { feed in
      guard feed.wantsNMEA, feed.watches(source) else { return nil }
      isSent = true
      return bytes
    }
    if isSent { server.latest.markSentences(of: source) }
    return actions
  }

  func publish(_ sky: SkyView, _ server: inout ServerState) -> [Action] {
    var json: [UInt8]?
    return broadcast(&server) { feed in
      guard feed.wantsJSON, feed.watches(sky.source) else { return nil }
      json = json ?? feed.session?.frame(of: sky)
      return json
    }
  }

  /// Sends bytes to each client that has full accuracy now.
  ///
  /// `bytes` returns `nil` for clients that do not watch them.
  private func broadcast(
    isLocation: Bool = false, containsLocation: Bool = true, _ server: inout ServerState,
    _ bytes: (Feed) -> [UInt8]?
  ) -> [Action] {
    var actions: [Action] = []
    for feed in feeds where server.access(of: feed.client, on: feed.id) == .full {
      guard let bytes = bytes(feed) else { continue }
      if isLocation { actions += server.connections.countLocation(of: feed.id) }
      guard !bytes.isEmpty else { continue }
      actions += server.send(.init(bytes: bytes, containsLocation: containsLocation), to: feed.id)
    }
    return actions
  }

  // MARK: Receivers

  /// Sends a new, changed or inactive receiver to all gpsd clients: it does not reveal the location.
  func publish(_ device: GPSDDevice, _ server: inout ServerState) -> [Action] {
    guard device.receiver.isActive else {
      // After an unplug, the loss may have removed the receiver already.
      let name = device.receiver.name
      guard server.latest.hasDevice(name) else { return [] }
      server.latest.removeDevices([name])
      return sendToGPSDClients(&server) { $0.frame(ofLost: name) }
    }
    server.latest.take(device)
    return sendToGPSDClients(&server) { $0.frame(of: device) }
  }

  /// Sends the loss of a receiver, or of all receivers of a source.
  ///
  /// A silent receiver is still plugged in, so only its position is reported as unknown.
  func publish(_ loss: SourceLoss, _ server: inout ServerState) -> [Action] {
    let names = loss.receiver.map { [$0] } ?? server.latest.devices.map(\.receiver.name)
    var actions = broadcast(containsLocation: false, &server) { feed in
      var bytes: [UInt8] = []
      if let session = feed.session, names.contains(where: { session.watches($0) }) {
        bytes += session.withoutPosition(device: names.first) ?? []
      }
      if feed.wantsNMEA { bytes += NMEAEpoch.sentences(of: Fix(mode: .none), sky: nil) }
      return bytes
    }
    guard loss.reason != .silent else { return actions }
    server.latest.removeDevices(names)
    for name in names { actions += sendToGPSDClients(&server) { $0.frame(ofLost: name) } }
    return actions
  }

  private func sendToGPSDClients(
    _ server: inout ServerState, _ frame: (GPSDSession) -> [UInt8]?
  ) -> [Action] {
    var actions: [Action] = []
    for feed in feeds where server.connections.isStreaming(feed.id) {
      guard let bytes = feed.session.flatMap(frame) else { continue }
      actions += server.send(.init(bytes: bytes), to: feed.id)
    }
    return actions
  }

  // MARK: Clients without full accuracy

  /// The time of the next report; `nil` if none is scheduled.
  func nextDeadline(_ connections: ConnectionTable) -> MonotonicTime? {
    feeds.reduce(nil) { deadline, feed in
      connections.isQuiet(feed.id) ? .earlier(deadline, feed.reportDeadline) : deadline
    }
  }

  /// Schedules the next report after a change of the authorization.
  mutating func scheduleReport(of id: UInt64, _ server: ServerState) {
    if let index = feeds.firstIndex(where: { $0.id == id }) { scheduleReport(index, server) }
  }

  /// Schedules the next report to a client without full accuracy that watches reports.
  private mutating func scheduleReport(_ index: Int, _ server: ServerState) {
    let client = feeds[index].client
    let access = server.access(of: client)
    if access != .nothing { feeds[index].hasReportedRefusal = false }
    let isDue =
      access != .full && feeds[index].wantsReports && server.clients[client]?.state != nil
    feeds[index].reportDeadline = isDue ? feeds[index].reportDeadline ?? server.now : nil
  }

  /// Sends the reports that are due, and reports that are due soon, so that many clients wake the
  /// board no more often than one client does.
  mutating func sendReports(_ server: inout ServerState) -> [Action] {
    let now = server.now
    let soon = now.advanced(bySeconds: Self.reportSeconds / 2)
    guard nextDeadline(server.connections).map({ $0 <= now }) ?? false else { return [] }
    var actions: [Action] = []
    for index in feeds.indices where server.connections.isQuiet(feeds[index].id) {
      guard let deadline = feeds[index].reportDeadline, deadline <= soon else { continue }
      feeds[index].reportDeadline = now.advanced(bySeconds: Self.reportSeconds)
      actions += sendReport(index, &server)
    }
    return actions
  }

  /// Sends the reduced location, or a report without a position.
  ///
  /// The first report to a client without access follows an error with the command that grants
  /// access.
  private mutating func sendReport(_ index: Int, _ server: inout ServerState) -> [Action] {
    let feed = feeds[index]
    guard let state = server.clients[feed.client]?.state else { return [] }
    let access = server.access(of: feed.client)
    let fix = access == .reduced ? server.reduce() : nil
    let count = fix == nil ? [] : server.connections.countLocation(of: feed.id)
    var bytes: [UInt8] = []
    if let session = feed.session {
      if access == .nothing, state.pending == nil, !feed.hasReportedRefusal,
        let error = session.error(Self.message(server.clients.refusal(of: feed.client)))
      {
        feeds[index].hasReportedRefusal = true
        bytes += error
      }
      bytes +=
        fix.flatMap { session.frame(of: $0, now: nil) }
        ?? session.withoutPosition(device: server.latest.devices.first?.receiver.name) ?? []
    }
    if feed.wantsNMEA { bytes += NMEAEpoch.sentences(of: fix ?? Fix(mode: .none), sky: nil) }
    return count + server.send(.init(bytes: bytes, containsLocation: fix != nil), to: feed.id)
  }

  /// Returns the refusal with the command that grants access, or only the command if both are too
  /// long for a message.
  private static func message(_ refusal: DaemonFault) -> String {
    let text = "\(refusal)"
    return text.utf8.count > GPSDObjects.maxMessageBytes ? refusal.advice ?? text : text
  }
}
