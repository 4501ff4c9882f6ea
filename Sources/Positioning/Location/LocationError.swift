// SPDX-License-Identifier: Apache-2.0

/// An error that explains why a location is missing.
///
/// Corresponds to `CLError`, with the same names and codes. Fixcast produces five of these errors:
/// ``locationUnknown``, ``denied``, ``regionMonitoringDenied``, ``regionMonitoringFailure`` and
/// ``promptDeclined``. The other errors exist for programs that handle each error by name, and for
/// a program's own use.
public enum LocationError: Int, Error, Hashable, Codable, Sendable, CaseIterable {
  /// There is currently no position.
  ///
  /// As in Core Location, updates resume by themselves, and a one-shot request that times out also
  /// produces this error. Differs from Core Location: the error is produced once per outage, not at
  /// every attempt.
  case locationUnknown = 0
  /// The program is not authorized.
  ///
  /// As in Core Location, this error is produced when a service is started or a location is
  /// requested without authorization, and when a grant is withdrawn.
  case denied = 1
  /// The network is not available.
  ///
  /// Differs from Core Location: the error is never produced, because satellite positioning needs
  /// no network.
  case network = 2
  /// There is no heading, for lack of a compass or because of interference.
  ///
  /// Differs from Core Location: the error is never produced, because receivers do not report
  /// interference or a missing compass.
  case headingFailure = 3
  /// The program may not monitor regions.
  ///
  /// Core Location produces this error for a program without authorization. Differs from Core
  /// Location: the error is produced for each region, and also when a grant is withdrawn or
  /// reduced.
  case regionMonitoringDenied = 4
  /// A region cannot be monitored.
  ///
  /// As in Core Location, this error is produced for a radius that is too large and for a 21st
  /// region. Fixcast also produces the error for a radius that is not above 0.
  case regionMonitoringFailure = 5
  /// Monitoring of a region is delayed.
  ///
  /// Differs from Core Location: the error is never produced, because monitoring starts at once.
  case regionMonitoringSetupDelayed = 6
  /// Events of a region are delayed.
  ///
  /// Differs from Core Location: the error is never produced, because each event is delivered with
  /// the location that causes it.
  case regionMonitoringResponseDelayed = 7
  /// A coordinate has no address, or an address no coordinate.
  ///
  /// An error of Core Location's geocoder. Differs from Core Location: the error is never produced,
  /// because another module looks up places.
  case geocodeFoundNoResult = 8
  /// Only a part of an address was found.
  ///
  /// An error of Core Location's geocoder. Differs from Core Location: the error is never produced,
  /// because another module looks up places.
  case geocodeFoundPartialResult = 9
  /// The search for an address was cancelled.
  ///
  /// An error of Core Location's geocoder. Differs from Core Location: the error is never produced,
  /// because another module looks up places.
  case geocodeCanceled = 10
  /// Updates could not be deferred.
  ///
  /// Differs from Core Location: the error is never produced. Core Location itself no longer
  /// supports deferred updates.
  case deferredFailed = 11
  /// Updates could not be deferred because none were running.
  ///
  /// Differs from Core Location: the error is never produced. Core Location itself no longer
  /// supports deferred updates.
  case deferredNotUpdatingLocation = 12
  /// Updates could not be deferred at the desired accuracy.
  ///
  /// Differs from Core Location: the error is never produced. Core Location itself no longer
  /// supports deferred updates.
  case deferredAccuracyTooLow = 13
  /// Updates could not be deferred because of the distance filter.
  ///
  /// Differs from Core Location: the error is never produced. Core Location itself no longer
  /// supports deferred updates.
  case deferredDistanceFiltered = 14
  /// Deferring updates was cancelled.
  ///
  /// Differs from Core Location: the error is never produced. Core Location itself no longer
  /// supports deferred updates.
  case deferredCanceled = 15
  /// Beacons cannot be ranged.
  ///
  /// An error of Core Location's beacon ranging. Differs from Core Location: the error is never
  /// produced, because satellite receivers do not receive beacons.
  case rangingUnavailable = 16
  /// Ranging beacons failed.
  ///
  /// An error of Core Location's beacon ranging. Differs from Core Location: the error is never
  /// produced, because satellite receivers do not receive beacons.
  case rangingFailure = 17
  /// A request for temporary full accuracy was refused.
  ///
  /// Core Location produces this error if the user declines the prompt. Differs from Core Location:
  /// the error is also produced if the accuracy is already full, the purpose is unknown, too many
  /// requests are pending, or the manager is released while a request is pending. Every request
  /// receives a reply.
  case promptDeclined = 18
  /// Historical locations are not available.
  ///
  /// Differs from Core Location: the error is never produced, because no history is kept.
  case historicalLocationError = 19
}

extension LocationError: CustomStringConvertible {
  /// The error as text for a log.
  public var description: String {
    switch self {
    case .locationUnknown: "no position at present"
    case .denied: "not authorized to know the location"
    case .network: "no network"
    case .headingFailure: "no heading"
    case .regionMonitoringDenied: "not authorized to monitor regions"
    case .regionMonitoringFailure: "the region cannot be monitored"
    case .regionMonitoringSetupDelayed: "monitoring the region has not begun yet"
    case .regionMonitoringResponseDelayed: "events of the region are delayed"
    case .geocodeFoundNoResult: "no address was found"
    case .geocodeFoundPartialResult: "only a part of the address was found"
    case .geocodeCanceled: "the search for an address was cancelled"
    case .deferredFailed: "updates could not be deferred"
    case .deferredNotUpdatingLocation: "there are no updates to defer"
    case .deferredAccuracyTooLow: "updates of that accuracy cannot be deferred"
    case .deferredDistanceFiltered: "updates cannot be deferred with a distance filter"
    case .deferredCanceled: "deferring updates was cancelled"
    case .rangingUnavailable: "beacons cannot be ranged"
    case .rangingFailure: "ranging beacons failed"
    case .promptDeclined: "full accuracy was refused"
    case .historicalLocationError: "historical locations are not available"
    }
  }
}
