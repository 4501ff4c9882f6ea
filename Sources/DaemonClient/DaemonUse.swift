// SPDX-License-Identifier: Apache-2.0

internal import LocationServices

/// What a program does with locations, as far as the daemon is told of it.
struct DaemonUse: Equatable, Sendable {
  /// Whether locations are wanted only while something of the program's uses them.
  var isOnDemand = false
  private var services: Set<LocationServiceKind> = []
  private var activityCount = 0
  private var activity: String?

  /// What a connection tells the daemon.
  var terms: DaemonLink.Terms {
    DaemonLink.Terms(activity: activity, includesLocations: !isOnDemand || !services.isEmpty)
  }

  mutating func take(_ use: ServiceUse) {
    switch use {
    case .started(let service): services.insert(service)
    case .stopped(let service, _): services.remove(service)
    case .firstLocation: break
    case .activityBegan(let reason):
      activityCount += 1
      // Of several the one that began last: which of them has ended is not said.
      activity = reason
    case .activityEnded:
      activityCount = max(0, activityCount - 1)
      if activityCount == 0 { activity = nil }
    }
  }
}
