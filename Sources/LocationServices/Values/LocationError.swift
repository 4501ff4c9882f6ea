// SPDX-License-Identifier: Apache-2.0

/// Why no location comes, with Core Location's names and codes.
public enum LocationError: Int, Error, Hashable, Codable, Sendable, CaseIterable {
  /// There is no position at present. Not the end: updates go on and resume by themselves.
  case locationUnknown = 0
  /// The program may not know.
  case denied = 1
  /// The network was needed and is not there.
  case network = 2
  /// There is no heading, for want of a compass or for interference.
  case headingFailure = 3
  /// The program may not monitor regions.
  case regionMonitoringDenied = 4
  /// A region cannot be monitored.
  case regionMonitoringFailure = 5
  /// Monitoring a region has not begun yet.
  case regionMonitoringSetupDelayed = 6
  /// Events of a region come late.
  case regionMonitoringResponseDelayed = 7
  // 8 to 10 belong to the geocoder, 11 to 15 to deferred updates, 16 and 17 to beacons.

  /// A request for temporary full accuracy was refused.
  case promptDeclined = 18
}

extension LocationError: CustomStringConvertible {
  /// The error in a sentence.
  public var description: String {
    switch self {
    case .locationUnknown: "no position at present"
    case .denied: "not authorized to know the location"
    case .network: "the network is not there"
    case .headingFailure: "no heading"
    case .regionMonitoringDenied: "not authorized to monitor regions"
    case .regionMonitoringFailure: "the region cannot be monitored"
    case .regionMonitoringSetupDelayed: "monitoring the region has not begun yet"
    case .regionMonitoringResponseDelayed: "events of the region come late"
    case .promptDeclined: "full accuracy was refused"
    }
  }
}
