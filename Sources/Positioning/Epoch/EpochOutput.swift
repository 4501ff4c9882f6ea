// SPDX-License-Identifier: Apache-2.0

/// The fixes and the sky completed by one call of `ingest`, `completeOnSilence` or `finish`.
///
/// Every call reuses the storage. A count and a flag are used instead of optionals, because
/// clearing and testing optionals would slow down every report.
public struct EpochOutput: Sendable {
  /// The fixes; only the first ``fixCount`` are valid.
  public var fixes: [2 of Fix] = .init(repeating: Fix(mode: .none))
  /// The number of fixes; 2 if one report has completed two epochs.
  public private(set) var fixCount = 0
  /// The sky; valid only if ``hasSky``.
  public internal(set) var sky = SkyView()
  /// Whether the call has completed a sky.
  public internal(set) var hasSky = false

  var isEmpty: Bool { fixCount == 0 && !hasSky }

  /// Adds a fix; a third fix is dropped.
  mutating func append(_ fix: Fix) {
    guard fixCount < 2 else { return }
    fixes[fixCount] = fix
    fixCount &+= 1
  }

  mutating func removeAll() {
    fixCount = 0
    hasSky = false
  }

  /// Calls `deliver` with each fix and then with the sky.
  public func deliver(_ deliver: (FixSourceEvent) -> Void) {
    for index in 0..<fixCount { deliver(.fix(fixes[index])) }
    if hasSky { deliver(.sky(sky)) }
  }
}
