// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// A location, or why there is none: an element of ``LocationUpdates``.
///
/// As Core Location's `CLLocationUpdate` it has a location or flags that say why not. Differs in
/// that the flags are one set, and in that it tells of satellites and of updates that were missed.
public struct LocationUpdate: Equatable, Sendable {
  /// The location; `nil` where the update tells of a change of the reasons alone.
  ///
  /// As in Core Location.
  public var location: Location?
  /// Why nothing comes, or less than was asked for.
  ///
  /// Core Location has a property for each reason. Differs in that it is a set, which can be
  /// compared with the one before, and which tells a lost receiver from one without a fix.
  public var diagnostics: LocationDiagnostics
  /// How many satellites are in view.
  ///
  /// `nil` where the receiver has not said or the program may not know. Core Location has no such
  /// number.
  public var satellitesInView: Int?
  /// How many updates the reader was too slow for since the one before.
  ///
  /// Core Location does not say.
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
