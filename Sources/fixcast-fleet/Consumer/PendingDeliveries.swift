// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol
internal import NIOCore
internal import Synchronization

/// The messages that wait for a transaction.
///
/// The boards take turns, so that a board with many messages does not delay the others. A message
/// that does not fit is dropped without PUBACK, so the broker sends it again after the next
/// connection. The result of ``add(_:)`` stops the reading before that.
final class PendingDeliveries: Sendable {
  enum Outcome: Sendable {
    case added
    /// Added to a queue that is more than half full, so reading should pause.
    case addedAboveHalf
    case dropped
  }

  /// The maximum number of messages.
  static let capacity = 20_000
  /// The maximum size of the payloads in bytes.
  static let maxBytes = 32 << 20

  private struct State {
    /// The messages of each board with waiting ones; `nil` for topics of no board.
    var lines: [FleetBoardID?: CircularBuffer<Delivery>] = [:]
    /// The boards with waiting messages, in the order of their turns.
    var turns = CircularBuffer<FleetBoardID?>()
    var count = 0
    var byteCount = 0
    var droppedCount: UInt64 = 0

    mutating func next() -> Delivery? {
      guard let board = turns.popFirst(), let delivery = lines[board]?.popFirst() else {
        return nil
      }
      if lines[board]?.isEmpty == true { lines[board] = nil } else { turns.append(board) }
      count -= 1
      byteCount -= delivery.payload.count
      return delivery
    }
  }

  private let state = Mutex(State())

  var droppedCount: UInt64 { state.withLock { $0.droppedCount } }
  var count: Int { state.withLock { $0.count } }

  /// Adds a message, or drops it if the queue is full.
  func add(_ delivery: Delivery) -> Outcome {
    state.withLock { state in
      let byteCount = state.byteCount + delivery.payload.count
      guard state.count < Self.capacity, byteCount <= Self.maxBytes else {
        state.droppedCount += 1
        return .dropped
      }
      let board = FleetTopic(delivery.topic)?.board
      if state.lines[board] == nil {
        state.lines[board] = CircularBuffer(initialCapacity: 1)
        state.turns.append(board)
      }
      state.lines[board]?.append(delivery)
      (state.count, state.byteCount) = (state.count + 1, byteCount)
      return state.count > Self.capacity / 2 || byteCount > Self.maxBytes / 2
        ? .addedAboveHalf : .added
    }
  }

  /// Removes and returns the oldest message of the board whose turn it is; `nil` if none waits.
  func next() -> Delivery? { state.withLock { $0.next() } }

  /// Removes all messages.
  func removeAll() {
    state.withLock { state in
      let droppedCount = state.droppedCount
      state = State()
      state.droppedCount = droppedCount
    }
  }
}
