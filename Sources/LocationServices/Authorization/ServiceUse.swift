// SPDX-License-Identifier: Apache-2.0

/// What a program does with what it was granted, for a log: never where it is.
public enum ServiceUse: Hashable, Sendable {
  /// A service was started or a location was asked for, allowed or not.
  case started(LocationServiceKind)
  /// The first location since the start waits to be delivered.
  case firstLocation(LocationServiceKind)
  /// The service has ended, after so many locations.
  ///
  /// A one-shot request ends with its answer. A grant that serves once is used up when nothing goes
  /// on any more, where the count of any that did was above zero.
  case stopped(LocationServiceKind, locationCount: UInt64)
  /// The program declares that it is active, for the reason given.
  case activityBegan(reason: String)
  /// The program has ended the activity.
  case activityEnded
}

/// What a location manager can be started for.
public enum LocationServiceKind: String, Hashable, Codable, Sendable, CaseIterable {
  /// Continuous updates.
  case updates
  /// A request for one location.
  case oneShot
  /// Significant changes.
  case significantChanges
  /// Visits.
  case visits
  /// Regions.
  case regions
  /// The heading.
  case heading
  /// Live updates, from the first reader to the last; a monitor is one.
  case liveUpdates
}
