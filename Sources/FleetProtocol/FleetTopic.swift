// SPDX-License-Identifier: Apache-2.0

/// A topic of the fleet protocol: `fleet/v1/SHARD/BOARD/KIND`.
package struct FleetTopic: Hashable, Sendable, CustomStringConvertible {
  /// The last part of a topic.
  package enum Kind: String, Sendable, CaseIterable {
    /// Batches of fixes, from the board.
    case fix
    /// Reserved for events, from the board.
    case event
    /// The state of the board; retained.
    case status
    /// Acknowledgements, to the board.
    case ack
    /// Weather reports, to the board.
    case weather
    /// Reserved for commands, to the board.
    case cmd
  }

  /// The first two parts of all topics; the number is the version of the messages.
  package static let root = "fleet/v1"

  package let shard: FleetShard
  package let board: FleetBoardID
  package let kind: Kind

  package init(_ kind: Kind, _ board: FleetBoardID, shard: FleetShard) {
    (self.kind, self.board, self.shard) = (kind, board, shard)
  }

  /// Parses a topic; `nil` if it is not one of the fleet protocol.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0] == "fleet", parts[1] == "v1", let shard = FleetShard(parts[2]),
      let board = FleetBoardID(parts[3]), let kind = Kind(rawValue: String(parts[4]))
    else { return nil }
    self.init(kind, board, shard: shard)
  }

  /// Returns the filter for one kind of topic of all boards of a shard.
  package static func filter(_ kind: Kind, shard: FleetShard) -> String {
    "\(root)/\(shard)/+/\(kind.rawValue)"
  }

  package var description: String { "\(Self.root)/\(shard)/\(board)/\(kind.rawValue)" }
}
