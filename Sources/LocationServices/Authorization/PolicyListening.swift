// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// That somebody listens to a policy, for as long as this is held.
public final class PolicyListening: Sendable {
  private let stop: Mutex<(@Sendable () -> Void)?>

  /// Makes one that goes on.
  ///
  /// - Parameter stop: Ends it; called once.
  public init(_ stop: @escaping @Sendable () -> Void) { self.stop = Mutex(stop) }

  /// Ends it; also happens when it is released.
  public func end() {
    let stop = stop.withLock { stop in
      defer { stop = nil }
      return stop
    }
    stop?()
  }

  deinit { end() }
}
