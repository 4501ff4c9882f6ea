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
    ServerMetrics.add(server, to: &text)
    let hasPosition =
      daemon.includesPosition && hasFullAccess && ServerMetrics.addPosition(server, to: &text)
    let use =
      hasPosition
      ? server.connections.startUse(.oneShot, of: id) + server.connections.countLocation(of: id)
      : []
    // Without a position, the response to an operator is never withdrawn, as for the status.
    return use
      + server.connections.answer(
        id, HTTPAnswer.metrics(text),
        containsLocation: hasPosition || (hasFullAccess && !isOperator), now)
  }

  /// The reason why a client gets only a part of the metrics.
  private func metricsAdvice(_ key: ServerClient.Key) -> String {
    let reason = "clients without full accuracy get only these metrics"
    guard server.clients.access(of: key) == .nothing, let state = server.clients[key]?.state,
      let advice = server.clients.refusal(key, state).advice
    else { return reason }
    return "\(reason); \(advice)"
  }
}
