// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A bounded queue for one reader: the newest are kept, and what they push out is counted.
public final class Mailbox<Element: Sendable>: Sendable {
  /// What has been sent and not been read; for one reader.
  public let elements: AsyncStream<Element>
  private let continuation: AsyncStream<Element>.Continuation
  private let dropped = Atomic<UInt64>(0)

  /// Makes an empty mailbox.
  ///
  /// - Parameter limit: How many elements it keeps, at least 1.
  public init(limit: Int) {
    (elements, continuation) = AsyncStream.makeStream(
      bufferingPolicy: .bufferingNewest(max(limit, 1)))
  }

  /// How many elements newer ones have pushed out.
  public var droppedCount: UInt64 { dropped.load(ordering: .relaxed) }

  /// Puts an element in; returns at once.
  ///
  /// - Parameter element: The element.
  /// - Returns: Whether one more waits than before: not where it pushed out another, nor after the
  ///   end.
  @discardableResult
  public func send(_ element: Element) -> Bool {
    switch continuation.yield(element) {
    case .enqueued: return true
    case .dropped:
      dropped.add(1, ordering: .relaxed)
      return false
    case .terminated: return false
    @unknown default: return false
    }
  }

  /// Ends the elements after those that wait.
  public func finish() { continuation.finish() }
}
