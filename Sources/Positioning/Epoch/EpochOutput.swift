// SPDX-License-Identifier: Apache-2.0

extension EpochAssembler {
  /// The fixes and the sky that a step has completed, delivered in this order.
  ///
  /// They stay in place from step to step and are not optional: every report would pay for clearing
  /// and testing them.
  public struct Output: Sendable {
    /// The fixes, of which the first ``fixCount`` are the step's.
    public var fixes: [2 of Fix] = .init(repeating: Fix(mode: .none))
    /// The number of fixes; two where one report has completed two epochs.
    public private(set) var fixCount = 0
    /// The sky, of whichever epoch's lists are complete; the step's if ``hasSky``.
    public internal(set) var sky = SkyView()
    /// Whether the step has completed a sky.
    public internal(set) var hasSky = false

    var isEmpty: Bool { fixCount == 0 && !hasSky }

    /// Adds a fix; a third is dropped.
    mutating func append(_ fix: Fix) {
      guard fixCount < 2 else { return }
      fixes[fixCount] = fix
      fixCount &+= 1
    }

    mutating func removeAll() {
      fixCount = 0
      hasSky = false
    }

    /// The fixes and skies as events.
    public func deliver(_ deliver: (FixSourceEvent) -> Void) {
      for index in 0..<fixCount { deliver(.fix(fixes[index])) }
      if hasSky { deliver(.sky(sky)) }
    }
  }
}
