// SPDX-License-Identifier: Apache-2.0

extension EpochAssembler {
  /// What a step has completed, in this order.
  public struct Output: Equatable, Sendable {
    /// The fix of the epoch that a new one has ended.
    public var previous: Fix?
    /// The fix of the epoch that its own last report has completed.
    public var current: Fix?
    /// The sky, of whichever epoch's lists are complete.
    public var sky: SkyView?

    /// The fixes and skies as events.
    ///
    /// - Parameter deliver: Takes each event, in order.
    public func deliver(_ deliver: (FixSourceEvent) -> Void) {
      if let previous { deliver(.fix(previous)) }
      if let current { deliver(.fix(current)) }
      if let sky { deliver(.sky(sky)) }
    }
  }
}
