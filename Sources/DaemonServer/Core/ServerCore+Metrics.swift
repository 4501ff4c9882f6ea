// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning

/// The metrics of the clients, the receivers and the last fix, and requests for metrics.
extension ServerCore {
  /// The purpose of requests that the policy answers without an operator.
  private static let metricsPurpose = "Export metrics to Prometheus"

  /// Reads the metrics, after the policy has applied its rules to the client.
  mutating func beginMetrics(
    _ id: ConnectionID, _ key: ServerClient.Key, _ now: MonotonicTime
  ) -> [Action] {
    applyRules(id, key, purpose: Self.metricsPurpose, now) ?? readMetrics(id)
  }

  /// Applies the rules of the policy to a client; `nil` if there is no request to make.
  mutating func applyRules(
    _ id: ConnectionID, _ key: ServerClient.Key, purpose: String, _ now: MonotonicTime
  ) -> [Action]? {
    guard let asked = server.clients.applyRules(purpose: purpose, to: key) else { return nil }
    let deadline = now.advanced(bySeconds: server.connections.limits.requestSeconds)
    server.connections.enter(.asking(asked.number, waits: false), id, until: deadline)
    return [asked.action]
  }

  mutating func readMetrics(_ id: ConnectionID) -> [Action] {
    server.connections.enter(.readingStatus, id)
    return [.readMetrics(id)]
  }

  /// Responds with the daemon's metrics, and with those of the core if the client may read them.
  mutating func answerMetrics(
    _ id: ConnectionID, _ key: ServerClient.Key, _ daemon: ServerStatus, _ now: MonotonicTime
  ) -> [Action] {
    let isOperator = key.identity.isOperator
    let hasFullAccess = server.clients.access(of: key) == .full
    guard hasFullAccess || isOperator else {
      var text = PrometheusText(daemon.forEverybody)
      text.addComment(metricsAdvice(key))
      return server.connections.answer(id, HTTPAnswer.metrics(text), now)
    }
    var text = PrometheusText(daemon.forFullAccuracy)
    addReceivers(to: &text, now)
    addClients(to: &text)
    var actions: [Action] = []
    var containsPosition = false
    if daemon.includesPosition, hasFullAccess,
      let fix = server.latest.fresh(within: server.connections.limits.freshSeconds, at: now),
      let place = fix.coordinate
    {
      let labels = labels(of: fix)
      text.add(
        "fixcast_position_latitude_degrees", .gauge, [.init(place.latitudeDegrees, labels)],
        help: "Latitude of the current fix, WGS 84.")
      text.add(
        "fixcast_position_longitude_degrees", .gauge, [.init(place.longitudeDegrees, labels)],
        help: "Longitude of the current fix, WGS 84.")
      containsPosition = true
      actions =
        server.connections.startUse(.oneShot, of: id) + server.connections.countLocation(of: id)
    }
    // Without a position, the response to an operator is never withdrawn, as for the status.
    return actions
      + server.connections.answer(
        id, HTTPAnswer.metrics(text),
        containsLocation: containsPosition || (hasFullAccess && !isOperator), now)
  }

  /// The reason why a client gets only a part of the metrics.
  private func metricsAdvice(_ key: ServerClient.Key) -> String {
    let reason = "clients without full accuracy get only these metrics"
    guard server.clients.access(of: key) == .nothing, let state = server.clients[key]?.state,
      let advice = server.clients.refusal(key, state).advice
    else { return reason }
    return "\(reason); \(advice)"
  }

  private func addReceivers(to text: inout PrometheusText, _ now: MonotonicTime) {
    let receivers = server.latest.devices.map(\.receiver)
    text.add(
      "fixcast_receiver_connected", .gauge,
      receivers.isEmpty
        ? [.init(0)]
        : receivers.map { .init($0.isActive ? 1 : 0, ("receiver", $0.stableName ?? $0.name)) },
      help: "Whether the receiver is being read; 0 without a label if there is none.")
    if let fix = server.latest.epoch(within: server.connections.limits.freshSeconds, at: now) {
      let labels = labels(of: fix)
      text.add(
        "fixcast_fix_mode", .gauge, [.init(Double(fix.mode.rawValue), labels)],
        help: "Mode of the current fix: 1 no position, 2 without height, 3 with height.")
      text.add(
        "fixcast_fix_horizontal_accuracy_meters", .gauge,
        [.init(fix.horizontalAccuracy?.horizontalMeters(atConfidencePercent: 95), labels)],
        help: "Horizontal error of the current fix at 95 % confidence.")
    }
    if let fix = server.latest.last(within: .infinity, isReduced: false, at: now) {
      text.add(
        "fixcast_fix_timestamp_seconds", .gauge,
        [.init(PrometheusText.seconds(fix.time), labels(of: fix))],
        help: "Time of the last fix with a position, by the receiver.")
    }
    if let sky = server.latest.sky(at: now) { add(sky, to: &text) }
  }

  private func add(_ sky: SkyView, to text: inout PrometheusText) {
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

  private func addClients(to text: inout PrometheusText) {
    text.add(
      "fixcast_clients", .gauge,
      [(ServerClient.Access.full, "full"), (.reduced, "reduced"), (.nothing, "none")].map {
        .init(UInt64(server.clients.count(with: $0.0)), ("accuracy", $0.1))
      },
      help: "Connected programs by the accuracy that they get, including the reader of this text.")
    text.add(
      "fixcast_authorization_requests_pending", .gauge,
      Double(server.clients.pendingCount),
      help: "Connected programs whose request waits for an operator.")
  }

  /// The receiver of a fix, by its stable name if it has one, and the origin of an artificial fix.
  private func labels(of fix: Fix) -> [(name: StaticString, value: String)] {
    var labels: [(name: StaticString, value: String)] = []
    if let source = fix.source {
      labels.append(("receiver", server.latest.stableName(of: source) ?? source))
    }
    if fix.isSimulated { labels.append(("simulated", "true")) }
    if fix.isReplayed { labels.append(("replayed", "true")) }
    return labels
  }
}
