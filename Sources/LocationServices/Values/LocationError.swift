// SPDX-License-Identifier: Apache-2.0

/// Why no location comes, with all of Core Location's names and codes.
///
/// Fixcast produces five of them: ``locationUnknown``, ``denied``, ``regionMonitoringDenied``,
/// ``regionMonitoringFailure`` and ``promptDeclined``. The others are there for programs that
/// handle each by name, and for sources of errors of a program's own.
public enum LocationError: Int, Error, Hashable, Codable, Sendable, CaseIterable {
  /// There is no position at present.
  ///
  /// Not the end: updates go on and resume by themselves. Produced once for each outage, and by a
  /// one-shot request that found nothing in time.
  case locationUnknown = 0
  /// The program may not know.
  ///
  /// Produced where something is started or asked for while refused, and where a grant is
  /// withdrawn.
  case denied = 1
  /// The network was needed and is not there.
  ///
  /// Never produced: satellites need none.
  case network = 2
  /// There is no heading, for want of a compass or for interference.
  ///
  /// Never produced: receivers do not tell of interference, and one without a compass says nothing.
  case headingFailure = 3
  /// The program may not monitor regions.
  ///
  /// Produced for each region: while refused or of reduced accuracy, and when either comes about.
  case regionMonitoringDenied = 4
  /// A region cannot be monitored.
  ///
  /// Produced for a radius that is not usable, and for a 21st region.
  case regionMonitoringFailure = 5
  /// Monitoring a region has not begun yet.
  ///
  /// Never produced: it begins at once.
  case regionMonitoringSetupDelayed = 6
  /// Events of a region come late.
  ///
  /// Never produced: they come with the location that shows them.
  case regionMonitoringResponseDelayed = 7
  /// A coordinate has no address, or an address no coordinate.
  ///
  /// Never produced, like each of the geocoder's: places are looked up by another module.
  case geocodeFoundNoResult = 8
  /// An address was found in part only.
  ///
  /// Never produced: there is no geocoder.
  case geocodeFoundPartialResult = 9
  /// The search for an address was cancelled.
  ///
  /// Never produced: there is no geocoder.
  case geocodeCanceled = 10
  /// Updates could not be deferred.
  ///
  /// Never produced, like each of deferred updates: Core Location itself has withdrawn them.
  case deferredFailed = 11
  /// Updates could not be deferred since none were running.
  ///
  /// Never produced: there are no deferred updates.
  case deferredNotUpdatingLocation = 12
  /// Updates could not be deferred at the accuracy wanted.
  ///
  /// Never produced: there are no deferred updates.
  case deferredAccuracyTooLow = 13
  /// Updates could not be deferred because of the distance filter.
  ///
  /// Never produced: there are no deferred updates.
  case deferredDistanceFiltered = 14
  /// Deferring updates was cancelled.
  ///
  /// Never produced: there are no deferred updates.
  case deferredCanceled = 15
  /// Beacons cannot be ranged.
  ///
  /// Never produced: there are no beacons.
  case rangingUnavailable = 16
  /// Ranging beacons failed.
  ///
  /// Never produced: there are no beacons.
  case rangingFailure = 17
  /// A request for temporary full accuracy was refused.
  ///
  /// Produced also where accuracy is full already, where the purpose is unknown, where too many
  /// requests wait, and where the manager goes while one does.
  case promptDeclined = 18
  /// Locations of the past could not be had.
  ///
  /// Never produced: none are kept.
  case historicalLocationError = 19
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
    case .geocodeFoundNoResult: "no address was found"
    case .geocodeFoundPartialResult: "the address was found in part only"
    case .geocodeCanceled: "the search for an address was cancelled"
    case .deferredFailed: "updates could not be deferred"
    case .deferredNotUpdatingLocation: "there are no updates to defer"
    case .deferredAccuracyTooLow: "updates of that accuracy cannot be deferred"
    case .deferredDistanceFiltered: "updates cannot be deferred with a distance filter"
    case .deferredCanceled: "deferring updates was cancelled"
    case .rangingUnavailable: "beacons cannot be ranged"
    case .rangingFailure: "ranging beacons failed"
    case .promptDeclined: "full accuracy was refused"
    case .historicalLocationError: "locations of the past cannot be had"
    }
  }
}
