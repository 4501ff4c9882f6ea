// SPDX-License-Identifier: Apache-2.0

internal import LocationServices

/// The program's use of locations, as reported to the daemon.
struct LocationUse: Equatable, Sendable {
  /// Whether the daemon sends locations only while a location service uses them.
  var isOnDemand = false
  private var services: Set<LocationServiceKind> = []
  private var activityCount = 0
  private var activity: String?

  /// The parameters of the next connection.
  var parameters: DaemonLink.Parameters {
    DaemonLink.Parameters(
      activity: activity, includesLocations: !isOnDemand || !services.isEmpty)
  }

  mutating func record(_ use: ServiceUse) {
    switch use {
    case .started(let service): services.insert(service)
    case .stopped(let service, _): services.remove(service)
    case .firstLocation: break
    case .activityBegan(let reason):
      activityCount += 1
      // Keep the most recent activity until all activities have ended, because the event does not
      // name the activity that ended.
      activity = reason
    case .activityEnded:
      activityCount = max(0, activityCount - 1)
      if activityCount == 0 { activity = nil }
    }
  }
}
