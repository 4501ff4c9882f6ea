// SPDX-License-Identifier: Apache-2.0

/// A use of a grant by a program, for a log; it never contains a position.
public enum ServiceUse: Hashable, Sendable {
  /// A service was started or a location was requested, whether permitted or not.
  case started(LocationServiceKind)
  /// The first location since the start has been queued for delivery.
  case firstLocation(LocationServiceKind)
  /// The service has ended after this number of locations.
  ///
  /// A one-shot request ends with its answer. A one-time grant is consumed when the last running
  /// service ends, if any service of that session delivered a location.
  case stopped(LocationServiceKind, locationCount: UInt64)
  /// The program declared an activity, for this reason.
  case activityBegan(reason: String)
  /// The program ended the activity.
  case activityEnded
}

/// A service of a location manager.
public enum LocationServiceKind: String, Hashable, Codable, Sendable, CaseIterable {
  /// Continuous updates.
  case updates
  /// A one-shot request.
  case oneShot
  /// Significant changes.
  case significantChanges
  /// Visits.
  case visits
  /// Regions.
  case regions
  /// Heading updates.
  case heading
  /// Live updates, from the first reader to the last; a monitor is a reader.
  case liveUpdates
}
