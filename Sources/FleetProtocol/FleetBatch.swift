// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// Fixes of one board in the order of their sequence numbers: the message of the topic `fix`.
///
/// A fix is identified by board, epoch and sequence number. The article FleetWireFormat describes
/// the format.
package struct FleetBatch: Equatable, Sendable {
  /// A fix with its sequence number.
  package struct Entry: Equatable, Sendable {
    /// The sequence number, from 1, never used again in the same epoch.
    package var sequence: Int64
    package var fix: FleetFix

    package init(sequence: Int64, fix: FleetFix) {
      (self.sequence, self.fix) = (sequence, fix)
    }
  }

  /// The version of the messages that this program writes and reads.
  ///
  /// Readers ignore unknown members. A new member that a reader may ignore keeps the version. Any
  /// other change increments the version and the number in the topics.
  package static let version = 1
  /// The maximum number of fixes in a batch.
  package static let maxCount = 500
  /// The maximum size of a message.
  package static let maxBytes = 65_536

  package var board: FleetBoardID
  package var epoch: FleetEpoch
  /// The kernel's identifier of the boot in which ``FleetFix/bootMilliseconds`` counts.
  package var boot: String?
  /// Whether the fixes are from a simulator or a recording.
  package var isSimulated = false
  /// Whether the board publishes reduced positions only.
  package var isReduced = false
  /// The sequence number of the fix before the first one in the outbox of the board; 0 if the first
  /// fix is the oldest there, `nil` if it is the number directly below the first one.
  ///
  /// The consumer acknowledges a batch only if the fix before it is committed. Without this member,
  /// a gap of fixes that the outbox removed would look like a batch that a broker lost.
  package var previous: Int64?
  /// At most ``maxCount`` fixes, with increasing sequence numbers.
  package var entries: [Entry]

  package init(board: FleetBoardID, epoch: FleetEpoch, entries: [Entry]) {
    (self.board, self.epoch, self.entries) = (board, epoch, entries)
  }

  private struct Wire: Codable {
    var v: Int
    var b: String
    var e: Int64
    var n: Int
    var s0: Int64
    var p: Int64?
    /// The differences of the sequence numbers, if they are not consecutive.
    var s: [Int64?]?
    var boot: String?
    var sim: Bool?
    var red: Bool?
  }

  /// The message; empty if the batch has no entries or too many.
  package var json: [UInt8] {
    guard let first = entries.first, entries.count <= Self.maxCount else { return [] }
    let columns = FleetColumns(entries.lazy.map(\.fix))
    let sequences = entries.map { $0.sequence - first.sequence }
    let isConsecutive = sequences.elementsEqual(0..<Int64(entries.count))
    let wire = Wire(
      v: Self.version, b: board.text, e: epoch.number, n: entries.count, s0: first.sequence,
      p: previous == first.sequence - 1 ? nil : previous,
      s: isConsecutive ? nil : FleetColumns.entries(sequences),
      boot: columns.m == nil ? nil : boot, sim: isSimulated ? true : nil,
      red: isReduced ? true : nil)
    return FleetJSON.encode(FlatPair(first: wire, second: columns))
  }

  /// Decodes a message.
  ///
  /// Any bytes give a batch or a ``FleetError``.
  package init(json: [UInt8]) throws(FleetError) {
    let pair: FlatPair<Wire, FleetColumns> = try FleetJSON.decode(json)
    let wire = pair.first
    guard let board = FleetBoardID(wire.b) else { throw .invalid(member: "b") }
    guard let epoch = FleetEpoch(wire.e) else { throw .invalid(member: "e") }
    guard (1...Self.maxCount).contains(wire.n) else { throw .invalid(member: "n") }
    guard FleetEpoch.sequences.contains(wire.s0) else { throw .invalid(member: "s0") }
    guard (0..<wire.s0).contains(wire.p ?? 0) else { throw .invalid(member: "p") }
    let isBoot = wire.boot?.utf8.allSatisfy { FleetBoardID.isBootCharacter($0) } ?? true
    guard isBoot, (wire.boot?.utf8.count ?? 1) <= 36 else { throw .invalid(member: "boot") }
    let fixes = try pair.second.fixes(count: wire.n)
    let sequences = FleetColumns.values(
      wire.s ?? (wire.n > 1 ? [0, 1] : [0]), count: wire.n, FleetEpoch.sequences, from: wire.s0)
    guard let sequences else { throw .invalid(member: "s") }
    self.init(board: board, epoch: epoch, entries: [])
    entries.reserveCapacity(fixes.count)
    for (sequence, fix) in zip(sequences, fixes) {
      guard let sequence, entries.last.map({ $0.sequence < sequence }) ?? (sequence == wire.s0)
      else { throw .invalid(member: "s") }
      entries.append(Entry(sequence: sequence, fix: fix))
    }
    previous = wire.p
    boot = wire.boot
    isSimulated = wire.sim ?? false
    isReduced = wire.red ?? false
  }
}

extension FleetBoardID {
  /// Whether a boot id may contain a byte: a UUID has hexadecimal digits and `-`.
  fileprivate static func isBootCharacter(_ byte: UInt8) -> Bool {
    UInt8(ascii: "-") == byte || Character(Unicode.Scalar(byte)).isHexDigit
  }
}
