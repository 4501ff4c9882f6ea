// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Positioning

/// The part of the core that publishes events to feeds.
///
/// Clients with full accuracy receive each epoch. All other clients receive the reports of
/// ``sendReports(_:)``, whose times reveal nothing about the epochs.
extension ServerCore {
  /// Encodes one value at most once in each format, however many clients receive it.
  private struct Encodings {
    var json: [UInt8]?
    var nmea: [UInt8]?
  }

  /// Whether an event is a position, satellites or sentences, and only feeds with full or no access
  /// can receive it.
  ///
  /// The core then reads no reduced location, which may be on the disk.
  func publishesOnlyToFeeds(_ event: Event) -> Bool {
    switch event {
    case .published(.fix), .published(.sky), .published(.sentences):
      !server.connections.contains { $0.feed == nil }
        && server.clients.count(with: .reduced) == 0
    default: false
    }
  }

  /// Sends an epoch to clients with full accuracy.
  ///
  /// If the sentences of the receiver were sent for this epoch, no other sentences are sent.
  mutating func publishToFeeds(_ fix: Fix, _ now: MonotonicTime) -> [Action] {
    let hasSentences = fix.source.map { server.latest.takeSentenceMark(of: $0) } ?? false
    var encodings = Encodings()
    let sky = server.latest.sky(at: now).flatMap { $0.source == fix.source ? $0 : nil }
    var actions = addDevice(of: fix, now)
    for id in fullAccuracyFeeds {
      guard let format = server.connections[id]?.format, format.watches(fix.source) else {
        continue
      }
      var bytes: [UInt8] = []
      if case .gpsd(let session) = format, session.wantsJSON {
        let json = encodings.json ?? session.frame(of: fix, now: now)
        encodings.json = json
        bytes += json ?? []
      }
      if format.wantsNMEA, !hasSentences {
        let nmea = encodings.nmea ?? NMEAEpoch.sentences(of: fix, sky: sky)
        encodings.nmea = nmea
        bytes += nmea
      }
      if fix.mode > .none, format.wantsJSON || format.wantsNMEA {
        actions += server.connections.countLocation(of: id)
      }
      guard !bytes.isEmpty else { continue }
      actions += server.connections.send(.init(bytes: bytes, containsLocation: true), to: id, now)
    }
    return actions
  }

  /// Adds the receiver of a fix if its source has not reported it, as for a named serial port.
  private mutating func addDevice(of fix: Fix, _ now: MonotonicTime) -> [Action] {
    guard let name = fix.source,
      !server.latest.devices.contains(where: { $0.receiver.name == name })
    else { return [] }
    var receiver = ReceiverInfo(name: name, isActive: true)
    receiver.driver = "NMEA0183"
    return publishToFeeds(GPSDDevice(receiver, activated: fix.time), now)
  }

  /// Sends the sentences of a receiver, in place of sentences made from its next fix.
  mutating func publishSentences(
    _ bytes: [UInt8], _ source: String, _ now: MonotonicTime
  ) -> [Action] {
    fullAccuracyFeeds.flatMap { id -> [Action] in
      guard let format = server.connections[id]?.format, format.wantsNMEA, format.watches(source)
      else {
        return []
      }
      server.latest.markSentences(of: source)
      return server.connections.send(.init(bytes: bytes, containsLocation: true), to: id, now)
    }
  }

  /// Whether a client reads the sentences of the receiver.
  var wantsSentences: Bool {
    fullAccuracyFeeds.contains { id in server.connections[id]?.format.wantsNMEA ?? false }
  }

  mutating func publishToFeeds(_ sky: SkyView, _ now: MonotonicTime) -> [Action] {
    var json: [UInt8]?
    return fullAccuracyFeeds.flatMap { id -> [Action] in
      guard case .gpsd(let session)? = server.connections[id]?.format, session.wantsJSON,
        session.watches(sky.source)
      else { return [] }
      json = json ?? session.frame(of: sky)
      return json.map {
        server.connections.send(.init(bytes: $0, containsLocation: true), to: id, now)
      }
        ?? []
    }
  }

  /// Sends a new, changed or inactive receiver to all gpsd clients: it does not reveal the location.
  mutating func publishToFeeds(_ device: GPSDDevice, _ now: MonotonicTime) -> [Action] {
    guard device.receiver.isActive else {
      // After an unplug, the loss may have removed the receiver already.
      let name = device.receiver.name
      guard server.latest.devices.contains(where: { $0.receiver.name == name }) else { return [] }
      server.latest.removeDevices([name])
      return sendToGPSDClients(now) { $0.frame(ofLost: name) }
    }
    server.latest.take(device)
    return sendToGPSDClients(now) { $0.frame(of: device) }
  }

  /// Sends the loss of a receiver, or of all receivers of a source.
  ///
  /// A silent receiver is still plugged in, so only its position is reported as unknown.
  mutating func publishToFeeds(_ loss: SourceLoss, _ now: MonotonicTime) -> [Action] {
    let names = loss.receiver.map { [$0] } ?? server.latest.devices.map(\.receiver.name)
    var actions: [Action] = []
    for id in fullAccuracyFeeds {
      guard let format = server.connections[id]?.format else { continue }
      var bytes: [UInt8] = []
      if case .gpsd(let session) = format, names.contains(where: { session.watches($0) }) {
        bytes += session.withoutPosition(device: names.first) ?? []
      }
      if format.wantsNMEA { bytes += NMEAEpoch.sentences(of: Fix(mode: .none), sky: nil) }
      if !bytes.isEmpty { actions += server.connections.send(.init(bytes: bytes), to: id, now) }
    }
    guard loss.reason != .silent else { return actions }
    server.latest.removeDevices(names)
    for name in names { actions += sendToGPSDClients(now) { $0.frame(ofLost: name) } }
    return actions
  }

  private mutating func sendToGPSDClients(
    _ now: MonotonicTime, _ frame: (GPSDSession) -> [UInt8]?
  ) -> [Action] {
    server.connections.ids { $0.phase == .streaming }.flatMap { id -> [Action] in
      guard case .gpsd(let session)? = server.connections[id]?.format, let bytes = frame(session)
      else { return [] }
      return server.connections.send(.init(bytes: bytes), to: id, now)
    }
  }

  /// The feeds whose clients have full accuracy, in a fixed order.
  private var fullAccuracyFeeds: [ConnectionID] {
    server.connections.ids {
      $0.phase == .streaming && $0.feed != nil
        && $0.client.map { server.clients.access(of: $0) } == .full
    }
  }
}
