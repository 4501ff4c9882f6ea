// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// The monitoring state of a manager, for storage.
///
/// The state reveals roughly where the board is, so a storage must keep it private.
public struct MonitoringState: Equatable, Codable, Sendable {
  /// The format version, incremented when stored values change their meaning.
  public private(set) var version = 1
  var regions = RegionMonitor()
  var visits = VisitDetector()
  /// The last significant change; `nil` in files of earlier versions.
  var significantChange: SignificantChange?

  /// Creates a state without monitored regions.
  public init() {}

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

extension LocationMachine {
  var monitoringState: MonitoringState {
    var state = MonitoringState()
    state.regions = regions
    state.visits = visits
    state.significantChange = significantChange
    return state
  }

  /// Resumes monitoring of the restored regions; returns whether there are any.
  mutating func resumeMonitoring() -> Bool {
    guard !regions.watches.isEmpty else { return false }
    locationCounts[.regions] = 0
    return true
  }

  mutating func restore(_ state: MonitoringState) {
    guard state.isUsable else { return }
    regions = state.regions
    visits = state.visits
    significantChange = state.significantChange ?? SignificantChange()
  }
}
