// SPDX-License-Identifier: Apache-2.0

public import Positioning

extension LocationClient {
  /// Settings of a manager; one that is `nil` is left as it is.
  public struct Properties: Equatable, Hashable, Sendable {
    /// When the next value is worth telling.
    public enum Filter: Hashable, Sendable {
      /// Every value is.
      case every
      /// One that differs by so much from the one told last.
      case atLeast(Double)
    }

    /// How precise a request for one location wants it.
    public var desiredAccuracy: DesiredAccuracy?
    /// How far in metres the board has to move for the next update.
    public var distanceFilter: Filter?
    /// By how many degrees the bow has to turn for the next heading.
    public var headingFilter: Filter?
    /// Whether updates end when the board does not move.
    public var pausesLocationUpdatesAutomatically: Bool?

    /// Makes settings that change what is given.
    ///
    /// - Parameters:
    ///   - desiredAccuracy: How precise a request for one location wants it.
    ///   - distanceFilter: How far in metres the board has to move.
    ///   - headingFilter: By how many degrees the bow has to turn.
    ///   - pausesLocationUpdatesAutomatically: Whether updates end when the board does not move.
    public init(
      desiredAccuracy: DesiredAccuracy? = nil, distanceFilter: Filter? = nil,
      headingFilter: Filter? = nil, pausesLocationUpdatesAutomatically: Bool? = nil
    ) {
      self.desiredAccuracy = desiredAccuracy
      self.distanceFilter = distanceFilter
      self.headingFilter = headingFilter
      self.pausesLocationUpdatesAutomatically = pausesLocationUpdatesAutomatically
    }
  }
}
