// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// A location, or the reasons why there is none; an element of ``LocationUpdates``.
///
/// Corresponds to Core Location's `CLLocationUpdate`. Differs from Core Location: the reasons are
/// one set instead of several flags, and satellites and missed updates are counted.
public struct LocationUpdate: Equatable, Sendable {
  /// The location; `nil` if only the diagnostics have changed.
  ///
  /// As in Core Location.
  public var location: Location?
  /// The reasons why no location, or a less precise one, is delivered.
  ///
  /// Core Location has a property for each reason. Differs from Core Location: the reasons are a
  /// set, which can be compared with the previous set and distinguishes a lost receiver from a
  /// missing fix.
  public var diagnostics: LocationDiagnostics
  /// The number of satellites in view.
  ///
  /// The value is `nil` if the receiver has not reported the number or the program lacks
  /// permission. Core Location has no such number.
  public var satellitesInView: Int?
  /// The number of updates missed since the previous one, because the reader was too slow.
  ///
  /// Core Location does not count missed updates.
  public var missedCount: UInt64

  /// Creates an update.
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
