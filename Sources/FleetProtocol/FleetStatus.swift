// SPDX-License-Identifier: Apache-2.0

/// The retained message of the topic `status`.
///
/// The broker publishes a status with ``isOnline`` false and the ``epoch`` when the connection of the
/// board is lost. A board that receives the status of another epoch shares its id with another board.
package struct FleetStatus: Equatable, Sendable {
  /// The longest ``problem`` in bytes.
  package static let maxProblemBytes = 200

  /// Whether the board is connected to the broker.
  package var isOnline: Bool
  /// The epoch of the outbox.
  package var epoch: FleetEpoch?
  /// The number of fixes in the outbox.
  package var pendingCount: Int64?
  /// The number of fixes that were removed from the outbox to make room.
  package var droppedCount: Int64?
  /// The newest fix, which may not be in the outbox yet, and so has no sequence number.
  package var fix: FleetFix?
  /// Whether ``fix`` is from a simulator or a recording.
  package var isSimulated = false
  /// Whether the board publishes reduced positions only.
  package var isReduced = false
  /// A problem of the board, for people; `nil` without one.
  package var problem: String?

  package init(isOnline: Bool) { self.isOnline = isOnline }

  private struct Wire: Codable {
    var v: Int
    var state: String
    var e: Int64?
    var pending: Int64?
    var dropped: Int64?
    var fix: FleetColumns?
    var sim: Bool?
    var red: Bool?
    var problem: String?
  }

  /// The message.
  package var json: [UInt8] {
    FleetJSON.encode(
      Wire(
        v: FleetBatch.version, state: isOnline ? "online" : "offline", e: epoch?.number,
        pending: pendingCount, dropped: droppedCount, fix: fix.map { FleetColumns([$0]) },
        sim: isSimulated ? true : nil, red: isReduced ? true : nil, problem: problem))
  }

  /// Decodes a message; any bytes give a status or a ``FleetError``.
  package init(json: [UInt8]) throws(FleetError) {
    let wire: Wire = try FleetJSON.decode(json)
    guard wire.state == "online" || wire.state == "offline" else { throw .invalid(member: "state") }
    self.init(isOnline: wire.state == "online")
    if let number = wire.e {
      guard let epoch = FleetEpoch(number) else { throw .invalid(member: "e") }
      self.epoch = epoch
    }
    guard wire.pending ?? 0 >= 0 else { throw .invalid(member: "pending") }
    guard wire.dropped ?? 0 >= 0 else { throw .invalid(member: "dropped") }
    guard wire.problem?.utf8.count ?? 0 <= Self.maxProblemBytes else {
      throw .invalid(member: "problem")
    }
    (pendingCount, droppedCount, problem) = (wire.pending, wire.dropped, wire.problem)
    fix = try wire.fix?.fixes(count: 1).first
    (isSimulated, isReduced) = (wire.sim ?? false, wire.red ?? false)
  }
}
