// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Tests the documentation table for developers who come from Core Location.
@Suite("The table of Core Location's members")
struct DocumentationTests {
  /// Core Location's members that concern the location of a device.
  private static let members = """
    delegate authorizationStatus accuracyAuthorization isAuthorizedForWidgetUpdates activityType \
    distanceFilter desiredAccuracy pausesLocationUpdatesAutomatically \
    allowsBackgroundLocationUpdates showsBackgroundLocationIndicator location heading \
    headingFilter headingOrientation maximumRegionMonitoringDistance monitoredRegions \
    rangedBeaconConstraints rangedRegions locationServicesEnabled() headingAvailable() \
    significantLocationChangeMonitoringAvailable() isMonitoringAvailable(for:) \
    isRangingAvailable() requestWhenInUseAuthorization() requestAlwaysAuthorization() \
    requestTemporaryFullAccuracyAuthorization(withPurposeKey:) startUpdatingLocation() \
    stopUpdatingLocation() requestLocation() startUpdatingHeading() stopUpdatingHeading() \
    dismissHeadingCalibrationDisplay() startMonitoringSignificantLocationChanges() \
    stopMonitoringSignificantLocationChanges() startMonitoring(for:) stopMonitoring(for:) \
    requestState(for:) startMonitoringVisits() stopMonitoringVisits() \
    startRangingBeacons(satisfying:) stopRangingBeacons(satisfying:) \
    startMonitoringLocationPushes allowDeferredLocationUpdates requestHistoricalLocations \
    locationManagerDidChangeAuthorization didChangeAuthorization didUpdateLocations \
    didFailWithError didFinishDeferredUpdates didUpdateTo:from: \
    locationManagerDidPauseLocationUpdates locationManagerDidResumeLocationUpdates \
    didUpdateHeading locationManagerShouldDisplayHeadingCalibration didEnterRegion \
    didExitRegion didDetermineState didStartMonitoringFor monitoringDidFailFor didRange \
    didFailRangingFor didVisit CLLocation coordinate altitude ellipsoidalAltitude \
    horizontalAccuracy verticalAccuracy speed speedAccuracy course courseAccuracy timestamp \
    CLLocation.floor sourceInformation distance(from:) CLLocationSourceInformation CLHeading \
    CLVisit CLRegion CLCircularRegion CLBeaconRegion CLRegionState CLPlacemark CLGeocoder \
    CLAuthorizationStatus CLAccuracyAuthorization CLError CLLocationUpdate.liveUpdates(_:) \
    CLLiveConfiguration CLMonitor CLMonitor.CircularGeographicCondition \
    CLMonitor.BeaconIdentityCondition add(_:identifier:assuming:) remove(_:) identifiers \
    record(for:) events CLMonitor.Event CLMonitor.Record CLServiceSession diagnostics \
    invalidate() serviceSessionRequired \
    CLLocationManager CLLocationManagerDelegate kCLDistanceFilterNone kCLHeadingFilterNone \
    init(latitude:longitude:) CLFloor isSimulatedBySoftware isProducedByAccessory \
    init(softwareSimulationState:andExternalAccessoryState:) CLLocationAccuracy \
    kCLLocationAccuracyBestForNavigation kCLLocationAccuracyBest \
    kCLLocationAccuracyNearestTenMeters kCLLocationAccuracyHundredMeters \
    kCLLocationAccuracyKilometer kCLLocationAccuracyThreeKilometers kCLLocationAccuracyReduced \
    trueHeading magneticHeading headingAccuracy CLHeading.timestamp x y z arrivalDate \
    departureDate CLVisit.coordinate CLVisit.horizontalAccuracy init(center:radius:identifier:) \
    identifier notifyOnEntry notifyOnExit center radius contains(_:) CLBeacon CLActivityType \
    CLDeviceOrientation CLAuthorizationStatus.restricted CLAuthorizationStatus.authorizedAlways \
    CLAuthorizationStatus.authorizedWhenInUse CLAccuracyAuthorization.reducedAccuracy \
    locationUnknown denied network headingFailure regionMonitoringDenied \
    regionMonitoringFailure regionMonitoringSetupDelayed regionMonitoringResponseDelayed \
    geocodeFoundNoResult geocodeFoundPartialResult geocodeCanceled deferredFailed \
    deferredNotUpdatingLocation deferredAccuracyTooLow deferredDistanceFiltered \
    deferredCanceled rangingUnavailable rangingFailure promptDeclined historicalLocationError \
    CLLocationUpdate CLLocationUpdate.location CLLocationUpdate.Updates default \
    automotiveNavigation otherNavigation fitness airborne accuracyLimited authorizationDenied \
    authorizationDeniedGlobally authorizationRequestInProgress authorizationRestricted \
    insufficientlyInUse locationUnavailable stationary alwaysAuthorizationDenied \
    fullAccuracyDenied CLMonitor.init(_:) name CLMonitor.Events CLMonitor.Event.identifier state \
    CLMonitor.Event.State unknown satisfied unsatisfied unmonitored date refinement \
    conditionUnsupported conditionLimitExceeded persistenceUnavailable condition lastEvent \
    init(authorization:fullAccuracyPurposeKey:) CLServiceSession.AuthorizationRequirement none \
    whenInUse always CLBackgroundActivitySession
    """.split(separator: " ").map(String.init)

  private let table: CoreLocationTable
  private let declarations: PublicDeclarations

  init() throws {
    let root = #filePath.dropLast("/Tests/LocationServicesTests/DocumentationTests.swift".count)
    let folder = root + "/Sources/LocationServices"
    let values = root + "/Sources/Positioning/Location"
    table = try CoreLocationTable(file: "\(folder)/LocationServices.docc/CoreLocation.md")
    declarations = try PublicDeclarations(folders: [String(folder), String(values)])
  }

  @Test func `the Core Location table marks each member as same, different or absent`() {
    for member in Self.members {
      let isListed = table.rows.contains {
        $0.counterpart.contains("`\(member)`") || $0.verdict.contains("`\(member)`")
      }
      #expect(isListed, "\(member)")
    }
    for row in table.rows {
      let words = row.counterpart.isEmpty ? ["added"] : ["same", "differs", "absent"]
      #expect(words.contains { row.verdict.hasPrefix($0) }, "\(row)")
      #expect(row.verdict.hasPrefix("absent") == row.links.isEmpty, "\(row)")
    }
  }

  @Test func `the Core Location table has exactly the public members of its types`() {
    let types = table.types
    let paths = declarations.comments.keys.filter {
      types.contains(String($0.prefix { $0 != "/" }))
    }
    // The parser must have found the declarations.
    #expect(paths.count > 230)
    for path in paths { #expect(table.row(of: path) != nil, "\(path)") }
    let all = Set(paths)
    for link in table.rows.flatMap(\.links) {
      #expect(all.contains(link.components(separatedBy: "-(")[0]), "\(link)")
    }
  }

  /// The phrase with which a comment states a difference.
  private static let difference = "Differs from Core Location: "
  /// The phrases with which a comment names the counterpart in Core Location.
  private static let counterparts = ["As in Core Location", "Corresponds to ", difference]

  @Test func `each member's comment names its counterpart, and states a difference if its table does`() throws {
    for row in table.rows where !row.counterpart.isEmpty {
      for link in row.links {
        // The default implementations of delegate methods are not in the table.
        let comments = (declarations.comments[link] ?? []).filter { $0 != " Does nothing." }
          .filter { !$0.hasPrefix(" Does nothing. ") }
        for comment in comments {
          #expect(
            Self.counterparts.contains(where: comment.contains),
            "\(link) has none of: \(Self.counterparts)")
          #expect(
            comment.contains(Self.difference) == row.verdict.hasPrefix("differs"),
            "\(link) and the table do not agree whether it differs")
        }
        #expect(!comments.isEmpty, "\(link)")
      }
    }
  }
}
