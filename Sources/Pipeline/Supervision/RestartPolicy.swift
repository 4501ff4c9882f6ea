// SPDX-License-Identifier: Apache-2.0

/// The delay before a failed plugin is restarted.
///
/// The delay doubles with each failure from ``firstDelay`` to ``maxDelay``. It is reduced at random
/// by up to half, so that boards that share a server do not retry at the same time.
public struct RestartPolicy: Equatable, Hashable, Sendable {
  /// The delay after the first failure, before the random reduction.
  public var firstDelay: Duration
  /// The maximum delay, unless an error requests a longer one.
  public var maxDelay: Duration
  /// The time for which the plugin must run to reset its failure count.
  public var healthyAfter: Duration
  /// Whether failed plugins are restarted at all.
  public var restarts: Bool

  /// The maximum delay that an error can request: one day.
  public static let maxRetryAfter = Duration.seconds(86_400)

  /// Creates a policy.
  public init(
    firstDelay: Duration = .seconds(1), maxDelay: Duration = .seconds(300),
    healthyAfter: Duration = .seconds(60), restarts: Bool = true
  ) {
    self.firstDelay = firstDelay
    self.maxDelay = maxDelay
    self.healthyAfter = healthyAfter
    self.restarts = restarts
  }

  /// Never restarts a failed plugin; for interactive programs whose user sees the failure.
  public static let never = RestartPolicy(restarts: false)

  /// Returns the delay after a failure.
  ///
  /// - Parameters:
  ///   - failures: The number of previous failures since the plugin last ran for ``healthyAfter``.
  ///   - retryAfter: The minimum delay that the error requests; `nil` for no minimum.
  ///   - generator: The generator for the random reduction.
  /// - Returns: The delay, greater than zero.
  public func delay(
    after failures: Int, retryAfter: Duration?,
    using generator: inout some RandomNumberGenerator
  ) -> Duration {
    let minimum = Duration.milliseconds(1)
    var wait = max(firstDelay, minimum)
    // Stop doubling at the maximum, so that the delay cannot overflow.
    for _ in 0..<max(failures, 0) where wait < maxDelay { wait *= 2 }
    wait = max(min(wait, maxDelay), minimum)
    wait = wait * (1 - Double.random(in: 0...0.5, using: &generator))
    guard let retryAfter else { return max(wait, minimum) }
    return max(wait, min(retryAfter, Self.maxRetryAfter), minimum)
  }
}
