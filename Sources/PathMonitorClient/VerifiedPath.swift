// SPDX-License-Identifier: Apache-2.0

/// Adds to paths what requests have found out about them: events in, paths to publish out.
///
/// What a request found out counts for the path on which it began, until that path changes in any
/// way: of the next one it says nothing.
public struct VerifiedPath: Equatable, Sendable {
  /// The path, with what is known of it; `nil` before the first.
  public private(set) var path: NetworkPath?
  /// Which of the paths so far it is.
  public private(set) var number: UInt64 = 0

  /// Makes one that knows no path.
  public init() {}

  /// Takes a path that a monitor has published.
  ///
  /// - Parameter next: The path.
  /// - Returns: The path to publish; `nil` where that has been done.
  public mutating func handle(_ next: NetworkPath) -> NetworkPath? {
    var known = path
    known?.verified = next.verified
    guard known != next else { return nil }
    number &+= 1
    path = next
    return next
  }

  /// Takes what became of a request.
  ///
  /// - Parameters:
  ///   - verification: What became of it.
  ///   - number: The ``number`` at its beginning.
  /// - Returns: The path to publish; `nil` where nothing is new.
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
