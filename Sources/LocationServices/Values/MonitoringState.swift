// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// What a manager monitors and where the board was with regard to it, for the next run.
///
/// Tells roughly where the board is: whoever stores it keeps it from others.
public struct MonitoringState: Equatable, Codable, Sendable {
  /// Grows when what is stored changes its meaning.
  public private(set) var version = 1
  var regions = RegionMonitor()
  var visits = VisitDetector()
  /// `nil` in a file of before this was stored.
  var significantChange: SignificantChange?

  /// Makes a state in which nothing is monitored.
  public init() {}

  /// Whether it is what monitoring makes: anybody may have written the file that it was read from.
  var isUsable: Bool {
    version == MonitoringState().version && regions.isWithinBounds && visits.isWithinBounds
  }

  /// The regions.
  public var monitoredRegions: [CircularRegion] { regions.regions }
}

/// Where monitoring survives a restart.
public protocol MonitoringStorage: Sendable {
  /// What was saved last; `nil` where there is nothing, or nothing that can be read.
  func load() -> MonitoringState?

  /// Saves; called whenever a region is added, removed or crossed, when a visit begins or ends, and
  /// when a significant change is told.
  ///
  /// It is called where locations are delivered, which wait for it: whoever writes to a disk returns
  /// at once and writes elsewhere, the newest last, as ``MonitoringFile`` does.
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

  /// Goes on with the regions of an earlier run; whether there are any.
  mutating func resumesMonitoring() -> Bool {
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
