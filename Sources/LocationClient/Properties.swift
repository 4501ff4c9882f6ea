// SPDX-License-Identifier: Apache-2.0

public import Positioning

extension LocationClient {
  /// The settings of a manager; a setting that is `nil` is unchanged.
  public struct Properties: Equatable, Hashable, Sendable {
    /// The minimum change between two values.
    public enum Filter: Hashable, Sendable {
      /// Every value is delivered.
      case every
      /// A value is delivered if it differs from the last one by at least this amount.
      case atLeast(Double)
    }

    /// The accuracy that a request for one location waits for.
    public var desiredAccuracy: DesiredAccuracy?
    /// The minimum distance in metres between two updates.
    public var distanceFilter: Filter?
    /// The minimum change in degrees between two headings.
    public var headingFilter: Filter?
    /// Whether updates pause when the board does not move.
    public var pausesLocationUpdatesAutomatically: Bool?

    /// Creates settings that change the given values.
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
