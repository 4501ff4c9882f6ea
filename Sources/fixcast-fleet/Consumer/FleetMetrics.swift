// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import FleetProtocol

/// The state of a consumer for Prometheus.
struct FleetMetrics: Sendable {
  var counters: FleetCounters
  var queuedCount: Int
  var droppedCount: UInt64
  var shards: [FleetShard]

  var text: String {
    var text = PrometheusText()
    func counter(_ name: StaticString, _ value: UInt64, _ help: String) {
      text.add(name, .counter, Double(value), help: help)
    }
    counter("fixcast_fleet_messages_total", counters.messages, "Messages of boards.")
    counter("fixcast_fleet_batches_total", counters.batches, "Decoded batches.")
    counter("fixcast_fleet_fixes_total", counters.fixes, "Decoded fixes, with repeated ones.")
    counter("fixcast_fleet_rows_total", counters.insertedRows, "Rows inserted in the table fix.")
    counter(
      "fixcast_fleet_repeated_fixes_total", counters.repeatedFixes,
      "Fixes that were committed before.")
    counter(
      "fixcast_fleet_estimated_times_total", counters.estimatedTimes,
      "Fixes without a date, or with one in the future, whose time is an estimate.")
    counter(
      "fixcast_fleet_refused_simulated_fixes_total", counters.refusedSimulatedFixes,
      "Refused fixes of simulators and recordings.")
    counter(
      "fixcast_fleet_undecodable_messages_total", counters.undecodable,
      "Messages that cannot be decoded.")
    counter(
      "fixcast_fleet_refused_messages_total", counters.refusedMessages,
      "Messages of boards that send too much; a board sends them again later.")
    counter(
      "fixcast_fleet_rejected_messages_total", counters.rejected,
      "Messages that the database rejects.")
    counter(
      "fixcast_fleet_batches_after_gap_total", counters.batchesAfterGap,
      "Batches that are not acknowledged until earlier fixes arrive.")
    counter("fixcast_fleet_transactions_total", counters.transactions, "Committed transactions.")
    counter("fixcast_fleet_acks_total", counters.acks, "Acknowledgements to boards.")
    counter(
      "fixcast_fleet_dropped_messages_total", droppedCount,
      "Messages dropped on a full queue; the broker sends them again.")
    text.add(
      "fixcast_fleet_queued_messages", .gauge, Double(queuedCount),
      help: "Messages that wait for a transaction.")
    text.add(
      "fixcast_fleet_shard_subscribed", .gauge,
      FleetShard.allCases.map {
        .init(shards.contains($0) ? 1 : 0, ("shard", $0.description))
      }, help: "Whether this consumer serves the shard.")
    counter(
      "fixcast_fleet_weather_requests_total", counters.weatherRequests,
      "Requests to the weather provider.")
    counter(
      "fixcast_fleet_weather_failures_total", counters.weatherFailures,
      "Failed requests to the weather provider.")
    counter(
      "fixcast_fleet_weather_messages_total", counters.weatherMessages,
      "Weather reports sent to boards.")
    return text.text
  }
}
