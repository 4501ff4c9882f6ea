// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The messages that wait for a transaction.
///
/// A message that does not fit is dropped without PUBACK, so the broker sends it again after the
/// next connection. The result of ``add(_:)`` stops the reading before that.
final class DeliveryQueue: Sendable {
  enum Outcome: Sendable {
    case added
    /// Added to a queue that is more than half full.
    case nearlyFull
    case dropped
  }

  /// The maximum number of messages.
  static let capacity = 20_000
  /// The maximum size of the payloads in bytes.
  static let maxBytes = 32 << 20

  private struct State {
    var deliveries: [Delivery] = []
    var byteCount = 0
    var droppedCount: UInt64 = 0
  }

  private let state = Mutex(State())

  var droppedCount: UInt64 { state.withLock { $0.droppedCount } }
  var count: Int { state.withLock { $0.deliveries.count } }

  /// Adds a message, or drops it if the queue is full.
  func add(_ delivery: Delivery) -> Outcome {
    state.withLock { state in
      let byteCount = state.byteCount + delivery.payload.count
      guard state.deliveries.count < Self.capacity, byteCount <= Self.maxBytes else {
        state.droppedCount += 1
        return .dropped
      }
      state.deliveries.append(delivery)
      state.byteCount = byteCount
      return state.deliveries.count > Self.capacity / 2 || byteCount > Self.maxBytes / 2
        ? .nearlyFull : .added
    }
  }

  /// Removes and returns all messages.
  func takeAll() -> [Delivery] {
    state.withLock { state in
      defer { (state.deliveries, state.byteCount) = ([], 0) }
      return state.deliveries
    }
  }
}
