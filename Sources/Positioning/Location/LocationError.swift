// SPDX-License-Identifier: Apache-2.0

/// Why no location comes.
///
/// As `CLError`, with all of its names and codes. Fixcast produces five of them:
/// ``locationUnknown``, ``denied``, ``regionMonitoringDenied``, ``regionMonitoringFailure`` and
/// ``promptDeclined``. The others are there for programs that handle each by name, and for sources
/// of errors of a program's own.
public enum LocationError: Int, Error, Hashable, Codable, Sendable, CaseIterable {
  /// There is no position at present.
  ///
  /// Not the end: updates go on and resume by themselves, as in Core Location, which may repeat it
  /// at each try. Differs in that it is produced once for each outage; and by a one-shot request
  /// that found nothing in time, as there.
  case locationUnknown = 0
  /// The program may not know.
  ///
  /// As in Core Location it is produced where something is started or asked for while refused, and
  /// where a grant is withdrawn.
  case denied = 1
  /// The network was needed and is not there.
  ///
  /// Core Location's says that the network was not there. Differs in that it is never produced:
  /// satellites need none.
  case network = 2
  /// There is no heading, for want of a compass or for interference.
  ///
  /// Core Location's is for magnetic interference. Differs in that it is never produced: receivers
  /// do not tell of interference, and one without a compass says nothing.
  case headingFailure = 3
  /// The program may not monitor regions.
  ///
  /// Core Location's is for a program that may not monitor. Differs in that it is produced for each
  /// region, and also when a grant is withdrawn or reduced.
  case regionMonitoringDenied = 4
  /// A region cannot be monitored.
  ///
  /// As in Core Location it is produced for a radius that is too large, and for a 21st region. A
  /// radius that is not above 0 counts as one.
  case regionMonitoringFailure = 5
  /// Monitoring a region has not begun yet.
  ///
  /// Core Location's daemon may need time. Differs in that it is never produced: monitoring begins
  /// at once.
  case regionMonitoringSetupDelayed = 6
  /// Events of a region come late.
  ///
  /// Core Location tells by it that events are late. Differs in that it is never produced: they
  /// come with the location that shows them.
  case regionMonitoringResponseDelayed = 7
  /// A coordinate has no address, or an address no coordinate.
  ///
  /// One of Core Location's geocoder. Differs in that it is never produced: places are looked up by
  /// another module.
  case geocodeFoundNoResult = 8
  /// An address was found in part only.
  ///
  /// One of Core Location's geocoder. Differs in that it is never produced: places are looked up by
  /// another module.
  case geocodeFoundPartialResult = 9
  /// The search for an address was cancelled.
  ///
  /// One of Core Location's geocoder. Differs in that it is never produced: places are looked up by
  /// another module.
  case geocodeCanceled = 10
  /// Updates could not be deferred.
  ///
  /// Differs in that it is never produced: Core Location itself has withdrawn deferred updates.
  case deferredFailed = 11
  /// Updates could not be deferred since none were running.
  ///
  /// Differs in that it is never produced: Core Location itself has withdrawn deferred updates.
  case deferredNotUpdatingLocation = 12
  /// Updates could not be deferred at the accuracy wanted.
  ///
  /// Differs in that it is never produced: Core Location itself has withdrawn deferred updates.
  case deferredAccuracyTooLow = 13
  /// Updates could not be deferred because of the distance filter.
  ///
  /// Differs in that it is never produced: Core Location itself has withdrawn deferred updates.
  case deferredDistanceFiltered = 14
  /// Deferring updates was cancelled.
  ///
  /// Differs in that it is never produced: Core Location itself has withdrawn deferred updates.
  case deferredCanceled = 15
  /// Beacons cannot be ranged.
  ///
  /// One of Core Location's for beacons. Differs in that it is never produced: a receiver hears
  /// none.
  case rangingUnavailable = 16
  /// Ranging beacons failed.
  ///
  /// One of Core Location's for beacons. Differs in that it is never produced: a receiver hears
  /// none.
  case rangingFailure = 17
  /// A request for temporary full accuracy was refused.
  ///
  /// Core Location's says that the person did not grant it. Differs in that it is produced also
  /// where accuracy is full already, where the purpose is unknown, where too many requests wait,
  /// and where the manager goes while one does: every caller gets an answer.
  case promptDeclined = 18
  /// Locations of the past could not be had.
  ///
  /// Core Location has it for a watch that asks for locations of the past. Differs in that it is
  /// never produced: none are kept.
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
