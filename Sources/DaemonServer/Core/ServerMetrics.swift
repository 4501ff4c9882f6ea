// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning

/// The metrics of the clients, the receivers and the last fix.
enum ServerMetrics {
  static func add(_ server: ServerState, to text: inout PrometheusText) {
    addReceivers(server, to: &text)
    addClients(server.clients, to: &text)
  }

  /// Adds the current position; returns false if none is known.
  static func addPosition(_ server: ServerState, to text: inout PrometheusText) -> Bool {
    let fresh = server.latest.fresh(
      within: server.connections.limits.freshSeconds, at: server.now)
    guard let fix = fresh, let place = fix.coordinate else { return false }
    let labels = labels(of: fix, server.latest)
    text.add(
      "fixcast_position_latitude_degrees", .gauge, [.init(place.latitudeDegrees, labels)],
      help: "Latitude of the current fix, WGS 84.")
    text.add(
      "fixcast_position_longitude_degrees", .gauge, [.init(place.longitudeDegrees, labels)],
      help: "Longitude of the current fix, WGS 84.")
    return true
  }

  private static func addReceivers(_ server: ServerState, to text: inout PrometheusText) {
    let (latest, now) = (server.latest, server.now)
    let receivers = latest.devices.map(\.receiver)
    text.add(
      "fixcast_receiver_connected", .gauge,
      receivers.isEmpty
        ? [.init(0)]
        : receivers.map { .init($0.isActive ? 1 : 0, ("receiver", $0.stableName ?? $0.name)) },
      help: "Whether the receiver is being read; 0 without a label if there is none.")
    if let fix = latest.epoch(within: server.connections.limits.freshSeconds, at: now) {
      let labels = labels(of: fix, latest)
      text.add(
        "fixcast_fix_mode", .gauge, [.init(Double(fix.mode.rawValue), labels)],
        help: "Mode of the current fix: 1 no position, 2 without height, 3 with height.")
      text.add(
        "fixcast_fix_horizontal_accuracy_meters", .gauge,
        [.init(fix.horizontalAccuracy?.horizontalMeters(atConfidencePercent: 95), labels)],
        help: "Horizontal error of the current fix at 95 % confidence.")
    }
    if let fix = latest.last(within: .infinity, isReduced: false, at: now) {
      text.add(
        "fixcast_fix_timestamp_seconds", .gauge,
        [.init(PrometheusText.seconds(fix.time), labels(of: fix, latest))],
        help: "Time of the last fix with a position, by the receiver.")
    }
    if let sky = latest.sky(at: now) { add(sky, to: &text) }
  }

  private static func add(_ sky: SkyView, to text: inout PrometheusText) {
    let systems = Dictionary(grouping: sky.satellites, by: \.id.system)
      .sorted { $0.key.rawValue < $1.key.rawValue }
    var counts: [PrometheusText.Sample] = []
    var signals: [PrometheusText.Sample] = []
    for (system, satellites) in systems {
      // A satellite has one entry for each signal, and is used if one of them is used.
      let all = Set(satellites.map(\.id))
      let used = Set(satellites.filter(\.isUsed).map(\.id))
      for (isUsed, count) in [(true, used.count), (false, all.count - used.count)] {
        counts.append(.init(UInt64(count), ("gnss", "\(system)"), ("used", "\(isUsed)")))
      }
      signals.append(
        .init(satellites.compactMap(\.signalToNoiseDBHz).max(), ("gnss", "\(system)")))
    }
    text.add(
      "fixcast_satellites", .gauge, counts,
      help: "Satellites in view, by system and whether the fix uses them.")
    text.add(
      "fixcast_signal_dbhz", .gauge, signals, help: "Strongest signal of the satellites in view.")
  }

  private static func addClients(_ clients: ClientTable, to text: inout PrometheusText) {
    text.add(
      "fixcast_clients", .gauge,
      [(ServerClient.Access.full, "full"), (.reduced, "reduced"), (.nothing, "none")].map {
        .init(UInt64(clients.count(with: $0.0)), ("accuracy", $0.1))
      },
      help: "Connected programs by the accuracy that they get, including the reader of this text.")
    text.add(
      "fixcast_authorization_requests_pending", .gauge,
      Double(clients.pendingCount),
      help: "Connected programs whose request waits for an operator.")
  }

  /// The receiver of a fix, by its stable name if it has one, and the origin of an artificial fix.
  private static func labels(of fix: Fix, _ latest: ServerLatest) -> [(
    name: StaticString, value: String
  )] {
    var labels: [(name: StaticString, value: String)] = []
    if let source = fix.source {
      labels.append(("receiver", latest.stableName(of: source) ?? source))
    }
    if fix.isSimulated { labels.append(("simulated", "true")) }
    if fix.isReplayed { labels.append(("replayed", "true")) }
    return labels
  }
}
