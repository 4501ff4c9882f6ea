// SPDX-License-Identifier: Apache-2.0

/// How long a plugin that failed waits until it is started again.
///
/// The wait doubles from ``first`` to ``most``, less a random part of up to half, so that what many
/// boards share is not met by all of them at once.
public struct RestartPolicy: Equatable, Hashable, Sendable {
  /// The wait after the first failure, before the random part goes off.
  public var first: Duration
  /// The longest wait, a longer one that was asked for excepted.
  public var most: Duration
  /// For how long it must work until its failures are forgotten.
  public var healthyAfter: Duration
  /// Whether it is started again at all.
  public var restarts: Bool

  /// The longest wait that anybody may ask for: a day.
  public static let longestRetryAfter = Duration.seconds(86_400)

  /// Makes a policy.
  ///
  /// - Parameters:
  ///   - first: The wait after the first failure.
  ///   - most: The longest wait.
  ///   - healthyAfter: For how long it must work until its failures are forgotten.
  ///   - restarts: Whether it is started again at all.
  public init(
    first: Duration = .seconds(1), most: Duration = .seconds(300),
    healthyAfter: Duration = .seconds(60), restarts: Bool = true
  ) {
    self.first = first
    self.most = most
    self.healthyAfter = healthyAfter
    self.restarts = restarts
  }

  /// Leaves out whatever fails once, as is right where somebody sees it fail.
  public static let never = RestartPolicy(restarts: false)

  /// The wait after a failure.
  ///
  /// - Parameters:
  ///   - failures: How many have come before this one since the plugin last worked.
  ///   - retryAfter: What whoever refused asks for; the wait is never shorter.
  ///   - generator: What decides on the random part.
  /// - Returns: The wait, more than zero.
  public func delay(
    after failures: Int, retryAfter: Duration?,
    using generator: inout some RandomNumberGenerator
  ) -> Duration {
    let least = Duration.milliseconds(1)
    var wait = max(first, least)
    // No further than it takes to reach the most.
    for _ in 0..<max(failures, 0) where wait < most { wait *= 2 }
    wait = max(min(wait, most), least)
    wait = wait * (1 - Double.random(in: 0...0.5, using: &generator))
    guard let retryAfter else { return max(wait, least) }
    return max(wait, min(retryAfter, Self.longestRetryAfter), least)
  }
}
