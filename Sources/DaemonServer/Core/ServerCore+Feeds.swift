// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning

/// The part of the core that starts feeds and handles the requests of gpsd clients.
extension ServerCore {
  /// The time between the reports to a client without full accuracy, in seconds.
  ///
  /// Some clients of gpsd reconnect if they receive nothing for a few seconds.
  static let reportSeconds = 1.0
  /// The purpose of requests that the policy answers without an operator.
  private static let purpose = "Send positions to a program that uses gpsd or NMEA 0183"

  /// Starts the feed of an admitted connection.
  ///
  /// A gpsd client is greeted before its policy has been read.
  mutating func startFeed(
    _ id: ConnectionID, _ key: ServerClient.Key, _ now: MonotonicTime
  ) -> [Action] {
    guard let connection = server.connections[id], connection.phase == .reading else { return [] }
    server.connections[id]?.client = key
    server.connections.enter(.streaming, id)
    var actions: [Action] = []
    if case .gpsd = connection.format {
      actions += server.connections.send(
        .init(bytes: GPSDSession.greeting(gpsdVersion)), to: id, now)
    }
    actions += server.clients.add(id, to: key)
    return server.clients[key]?.state == nil ? actions : actions + beginFeed(id, key, now)
  }

  /// Starts to send reports, after the policy has been read.
  mutating func beginFeed(
    _ id: ConnectionID, _ key: ServerClient.Key, _ now: MonotonicTime
  ) -> [Action] {
    guard server.clients[key]?.state != nil, server.connections[id]?.phase == .streaming else {
      return []
    }
    var actions = server.connections.startUse(.updates, of: id)
    if let asked = server.clients.applyRules(purpose: Self.purpose, to: key) {
      server.clients.markRule(of: key)
      actions.append(asked.action)
    }
    scheduleReport(to: id, key, now)
    return actions
  }

  /// Handles the bytes of a gpsd client; other clients are not expected to send any.
  mutating func handleReceived(
    _ bytes: [UInt8], _ id: ConnectionID, _ utcNow: UTCTime?, _ now: MonotonicTime
  ) -> [Action] {
    guard let connection = server.connections[id], connection.phase == .streaming,
      let key = connection.client, case .gpsd(var session) = connection.format
    else { return [] }
    let view = view(of: key, utcNow, now)
    let answers = session.receive(bytes, view)
    server.connections[id]?.format = .gpsd(session)
    if session.isHTTP { return server.connections.evict(id, now) }
    scheduleReport(to: id, key, now)
    guard !answers.isEmpty else { return [] }
    var actions: [Action] = []
    if view.fix?.coordinate != nil { actions += server.connections.countLocation(of: id) }
    let containsLocation = view.fix != nil || view.sky != nil
    return actions
      + server.connections.send(
        .init(bytes: answers, containsLocation: containsLocation), to: id, now)
  }

  /// Returns the values that a client may see.
  private mutating func view(
    of key: ServerClient.Key, _ utcNow: UTCTime?, _ now: MonotonicTime
  ) -> GPSDView {
    var view = GPSDView()
    view.devices = server.latest.devices
    view.now = utcNow
    switch server.clients.access(of: key) {
    case .nothing: break
    case .reduced: view.fix = server.latest.reduce(at: now).map { Fix($0) }
    case .full:
      view.fix = server.latest.fix
      view.sky = server.latest.sky(at: now)
      view.monotonicNow = now
    }
    return view
  }

  // MARK: Clients without full accuracy

  /// Returns the refusal with the command that grants access, or only the command if both are too
  /// long for a message.
  private func refusalText(_ key: ServerClient.Key, _ state: AuthorizationState) -> String {
    let refusal = server.clients.refusal(key, state)
    let text = "\(refusal)"
    return text.utf8.count > GPSDObjects.maxMessageBytes ? refusal.advice ?? text : text
  }

  /// Schedules the next report to a client without full accuracy that watches reports.
  mutating func scheduleReport(to id: ConnectionID, _ key: ServerClient.Key, _ now: MonotonicTime) {
    guard let connection = server.connections[id], connection.feed != nil else { return }
    let access = server.clients.access(of: key)
    if access != .nothing { server.connections[id]?.hasReportedRefusal = false }
    let isWatching = connection.format.wantsJSON || connection.format.wantsNMEA
    let isDue = access != .full && isWatching && server.clients[key]?.state != nil
    server.connections[id]?.heartbeatDeadline = isDue ? connection.heartbeatDeadline ?? now : nil
  }

  /// Sends the reports that are due, and reports that are due soon, so that many clients wake the
  /// board no more often than one client does.
  mutating func sendReports(_ now: MonotonicTime) -> [Action] {
    let soon = now.advanced(bySeconds: Self.reportSeconds / 2)
    func isDue(_ feed: ServerConnection, by moment: MonotonicTime) -> Bool {
      feed.feed != nil && feed.phase == .streaming && feed.writing == nil
        && feed.heartbeatDeadline.map { $0 <= moment } ?? false
    }
    guard server.connections.contains(where: { isDue($0, by: now) }) else { return [] }
    return server.connections.ids { isDue($0, by: soon) }.flatMap { id in
      server.connections[id]?.heartbeatDeadline = now.advanced(bySeconds: Self.reportSeconds)
      return server.connections[id]?.client.map { sendReport(to: id, $0, now) } ?? []
    }
  }

  /// Sends the reduced location, or a report without a position.
  ///
  /// The first report to a client without access follows an error with the command that grants
  /// access.
  private mutating func sendReport(
    to id: ConnectionID, _ key: ServerClient.Key, _ now: MonotonicTime
  ) -> [Action] {
    guard let connection = server.connections[id], let state = server.clients[key]?.state else {
      return []
    }
    var actions: [Action] = []
    var fix: Fix?
    if server.clients.access(of: key) == .reduced {
      fix = server.latest.reduce(at: now).map { Fix($0) }
      if fix != nil { actions += server.connections.countLocation(of: id) }
    }
    var bytes: [UInt8] = []
    if case .gpsd(let session) = connection.format {
      if server.clients.access(of: key) == .nothing, state.pending == nil,
        !connection.hasReportedRefusal,
        let error = session.error(refusalText(key, state))
      {
        server.connections[id]?.hasReportedRefusal = true
        bytes += error
      }
      bytes +=
        fix.flatMap { session.frame(of: $0, now: nil) }
        ?? session.withoutPosition(device: server.latest.devices.first?.receiver.name) ?? []
    }
    if connection.format.wantsNMEA {
      bytes += NMEAEpoch.sentences(of: fix ?? Fix(mode: .none), sky: nil)
    }
    return actions
      + server.connections.send(.init(bytes: bytes, containsLocation: fix != nil), to: id, now)
  }
}
