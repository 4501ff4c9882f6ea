// SPDX-License-Identifier: Apache-2.0

/// How long a ``ReachabilityGateRunner`` lets a location wait although there is a way for it.
public struct ReachabilityGateTiming: Sendable {
  /// How long a release after a loss waits, asked each time; `nil` for not at all.
  public var releaseDelay: (@Sendable () -> Duration)?
  /// What lies between two lookups over a path whose bytes cost money; `nil` for nothing.
  public var expensiveInterval: Duration?
  /// What lies between two lookups over a path whose bytes are to be saved; `nil` for nothing.
  public var constrainedInterval: Duration?

  /// Makes a timing; by default nothing waits.
  ///
  /// - Parameters:
  ///   - releaseDelay: How long a release after a loss waits.
  ///   - expensiveInterval: What lies between two lookups over a path whose bytes cost money.
  ///   - constrainedInterval: What lies between two over a path whose bytes are to be saved.
  public init(
    releaseDelay: (@Sendable () -> Duration)? = nil, expensiveInterval: Duration? = nil,
    constrainedInterval: Duration? = nil
  ) {
    self.releaseDelay = releaseDelay
    self.expensiveInterval = expensiveInterval
    self.constrainedInterval = constrainedInterval
  }

  /// A board among many behind one network: each waits for a time of its own after a loss.
  ///
  /// - Parameters:
  ///   - longest: The longest of these times.
  ///   - random: A number from 0 to 1, a new one each time; anything else counts as the nearer.
  /// - Returns: The timing.
  public static func jittered(
    upTo longest: Duration = .seconds(30),
    random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
  ) -> ReachabilityGateTiming {
    ReachabilityGateTiming(releaseDelay: {
      // What is no number is less than nothing.
      let share = random()
      return max(longest, .zero) * (share > 0 ? min(share, 1) : 0)
    })
  }

  /// Over which paths lookups are kept apart.
  var spacing: ReachabilityGate.Cost {
    var spacing: ReachabilityGate.Cost = []
    if expensiveInterval != nil { spacing.insert(.expensive) }
    if constrainedInterval != nil { spacing.insert(.constrained) }
    return spacing
  }

  /// The longest interval that a cost asks for.
  func interval(for cost: ReachabilityGate.Cost) -> Duration {
    max(
      cost.contains(.expensive) ? expensiveInterval ?? .zero : .zero,
      cost.contains(.constrained) ? constrainedInterval ?? .zero : .zero)
  }
}
