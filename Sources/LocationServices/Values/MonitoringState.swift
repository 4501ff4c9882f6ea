// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// The monitoring state of a manager, for storage.
///
/// The state reveals roughly where the board is, so a storage must keep it private.
public struct MonitoringState: Equatable, Codable, Sendable {
  /// The format version, incremented when stored values change their meaning.
  public private(set) var version = 1
  private(set) var regions = RegionMonitor()
  private(set) var visits = VisitDetector()
  /// The last significant change; `nil` in files of earlier versions.
  private(set) var significantChange: SignificantChange?

  /// Creates a state without monitored regions.
  public init() {}

  init(_ regions: RegionMonitor, _ visits: VisitDetector, _ change: SignificantChange?) {
    (self.regions, self.visits, significantChange) = (regions, visits, change)
  }

  /// Whether the content is consistent; a stored file may have been changed by others.
  var isUsable: Bool {
    version == MonitoringState().version && regions.hasValidState && visits.hasValidState
  }

  /// The monitored regions.
  public var monitoredRegions: [CircularRegion] { regions.regions }
}

/// Stores the monitoring state across restarts.
public protocol MonitoringStorage: Sendable {
  /// Returns the last saved state; `nil` if it is missing or unreadable.
  func load() -> MonitoringState?

  /// Saves a state.
  ///
  /// Called when a region is added, removed or crossed, when a visit begins or ends, and when a
  /// significant change is reported.
  ///
  /// Location delivery waits for this call. An implementation that writes to a disk returns at once
  /// and writes in the background, newest state last, as ``MonitoringFile`` does.
  func save(_ state: MonitoringState)
}
