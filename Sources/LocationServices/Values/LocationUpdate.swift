// SPDX-License-Identifier: Apache-2.0

/// A location, or why there is none: an element of `LocationUpdates`.
public struct LocationUpdate: Equatable, Sendable {
  /// The location; `nil` where the update tells of a change of the reasons alone.
  public var location: Location?
  /// Why nothing comes, or less than was asked for.
  public var diagnostics: LocationDiagnostics
  /// How many satellites are in view; `nil` where the receiver has not said or the program may
  /// not know.
  public var satellitesInView: Int?
  /// How many updates the reader was too slow for since the one before.
  public var missedCount: UInt64

  /// Makes an update.
  ///
  /// - Parameters:
  ///   - location: The location.
  ///   - diagnostics: Why nothing comes, or less than was asked for.
  ///   - satellitesInView: How many satellites are in view.
  ///   - missedCount: How many updates the reader was too slow for.
  public init(
    location: Location? = nil, diagnostics: LocationDiagnostics = [],
    satellitesInView: Int? = nil, missedCount: UInt64 = 0
  ) {
    self.location = location
    self.diagnostics = diagnostics
    self.satellitesInView = satellitesInView
    self.missedCount = missedCount
  }
}
