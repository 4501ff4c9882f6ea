// SPDX-License-Identifier: Apache-2.0

/// Combines the paths of a monitor with the results of requests.
///
/// The result of a request applies only to the path on which the request began, until that path
/// changes in any way.
public struct VerifiedPath: Equatable, Sendable {
  /// The current path with the result of the last request; `nil` before the first path.
  public private(set) var path: NetworkPath?
  /// The number of path changes so far, which identifies the current path.
  public private(set) var number: UInt64 = 0

  /// Makes a value without a path.
  public init() {}

  /// Handles a path of the monitor.
  ///
  /// - Parameter next: The path.
  /// - Returns: The path to publish; `nil` if the path has not changed.
  public mutating func handle(_ next: NetworkPath) -> NetworkPath? {
    var current = path
    current?.verified = next.verified
    guard current != next else { return nil }
    number &+= 1
    path = next
    return next
  }

  /// Handles the result of a request.
  ///
  /// - Parameters:
  ///   - verification: The result.
  ///   - number: The value of ``number`` when the request began.
  /// - Returns: The path with the result; `nil` if the result does not apply or has not changed.
  public mutating func handle(
    _ verification: NetworkPath.Verification, begunOn number: UInt64
  ) -> NetworkPath? {
    guard number == self.number, var next = path, next.isSatisfied, next.verified != verification
    else { return nil }
    next.verified = verification
    path = next
    return next
  }
}
