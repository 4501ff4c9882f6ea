// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// What a sink is given to do its work with.
public struct SinkContext: Sendable {
  /// Writes bytes; throws where nothing more can be written.
  public var write: @Sendable ([UInt8]) throws -> Void
  /// The present reading of the clock that fixes are received by.
  public var now: @Sendable () -> MonotonicTime
  /// The board's wall clock, for the age of what others have dated; `nil` where it is not known.
  public var utcNow: @Sendable () -> UTCTime?
  /// Whether ages are written: not in a replay at once, where they mean nothing.
  public var isLive: Bool
  /// Whether colours may be used.
  public var usesColor: Bool

  /// Makes a context.
  ///
  /// - Parameters:
  ///   - write: Writes bytes.
  ///   - now: The present reading of the clock.
  ///   - utcNow: The board's wall clock.
  ///   - isLive: Whether ages are written.
  ///   - usesColor: Whether colours may be used.
  public init(
    write: @escaping @Sendable ([UInt8]) throws -> Void,
    now: @escaping @Sendable () -> MonotonicTime,
    utcNow: @escaping @Sendable () -> UTCTime? = { nil }, isLive: Bool = true,
    usesColor: Bool = false
  ) {
    self.write = write
    self.now = now
    self.utcNow = utcNow
    self.isLive = isLive
    self.usesColor = usesColor
  }
}
