// SPDX-License-Identifier: Apache-2.0

/// The message of the topic `ack`: all fixes up to a sequence number are committed.
package struct FleetAcknowledgement: Hashable, Sendable {
  package var epoch: FleetEpoch
  /// The sequence number of the last committed fix; all earlier ones of the epoch are committed or
  /// were never published.
  package var sequence: Int64

  package init(epoch: FleetEpoch, sequence: Int64) {
    (self.epoch, self.sequence) = (epoch, sequence)
  }

  private struct Wire: Codable {
    var e: Int64
    var s: Int64
  }

  /// The message, such as `{"e":3,"s":12345}`.
  package var json: [UInt8] { FleetJSON.encode(Wire(e: epoch.number, s: sequence)) }

  /// Decodes a message; any bytes give an acknowledgement or a ``FleetError``.
  package init(json: [UInt8]) throws(FleetError) {
    let wire: Wire = try FleetJSON.decode(json)
    guard let epoch = FleetEpoch(wire.e) else { throw .invalid(member: "e") }
    guard FleetEpoch.sequences.contains(wire.s) else { throw .invalid(member: "s") }
    self.init(epoch: epoch, sequence: wire.s)
  }
}
