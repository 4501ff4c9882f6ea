// SPDX-License-Identifier: Apache-2.0

/// The speed of a replay.
public struct ReplayPace: Equatable, Sendable {
  /// The number of recorded seconds per second; `nil` for as fast as possible.
  public let factor: Double?

  private init(factor: Double?) { self.factor = factor }

  /// As fast as possible.
  public static let immediate = ReplayPace(factor: nil)

  /// The speed of the recording.
  public static let recorded = ReplayPace(factor: 1)

  /// Returns a multiple of the recorded speed.
  ///
  /// - Parameter factor: The number of recorded seconds per second; below 1 is slower.
  /// - Returns: The pace; `nil` unless the factor is from 0.001 to 100,000.
  public static func times(_ factor: Double) -> ReplayPace? {
    guard (0.001...100_000).contains(factor) else { return nil }
    return ReplayPace(factor: factor)
  }
}
