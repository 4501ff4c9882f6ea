// SPDX-License-Identifier: Apache-2.0

/// How fast a recording is played.
public struct ReplayPace: Equatable, Sendable {
  /// How many recorded seconds pass in one; `nil` for at once.
  public let factor: Double?

  private init(factor: Double?) { self.factor = factor }

  /// As fast as it can be read.
  public static let immediate = ReplayPace(factor: nil)

  /// As it was recorded.
  public static let recorded = ReplayPace(factor: 1)

  /// A number of times as fast as it was recorded.
  ///
  /// - Parameter factor: How many times; below 1 is slower.
  /// - Returns: The pace; `nil` unless the factor is a number from 0.001 to 100,000.
  public static func times(_ factor: Double) -> ReplayPace? {
    guard (0.001...100_000).contains(factor) else { return nil }
    return ReplayPace(factor: factor)
  }
}
