// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The table for those who come from Core Location.
@Suite("The table of Core Location's members")
struct DocumentationTests {
  /// Every member of the classes, protocols and values that have to do with where a device is.
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
    invalidate() serviceSessionRequired CLBackgroundActivitySession
    """.split(separator: " ").map(String.init)

  /// What is said to be the same must not differ in the words of the member itself.
  @Test("calls nothing the same of which its own words say that it differs")
  func agrees() throws {
    let root = String(
      #filePath.dropLast("/Tests/LocationServicesTests/DocumentationTests.swift".count))
    let folder = root + "/Sources/LocationServices/"
    let table = try String(
      contentsOfFile: folder + "LocationServices.docc/CoreLocation.md", encoding: .utf8)
    let rows = table.split(separator: "\n").filter { $0.hasPrefix("|") }
      .map { $0.split(separator: "|", omittingEmptySubsequences: false) }
    for file in ["Manager/LocationManagerDelegate.swift", "Manager/LocationManager+Requests.swift"]
    {
      let source = try String(contentsOfFile: folder + file, encoding: .utf8)
      for part in source.components(separatedBy: "\n\n") where part.contains("Differs") {
        let declaration = try #require(part.components(separatedBy: "func ").last)
        let name = declaration.prefix { $0 != "(" }
        let label = declaration.split(separator: " ").dropFirst(3).first { $0.hasPrefix("did") }
        let member = label.map { String($0.prefix { $0 != ":" }) } ?? String(name)
        let row = try #require(rows.first { $0[2].contains(member) }, "\(member)")
        #expect(row[3].contains("differs"), "\(member)")
      }
    }
  }

  @Test("says of each whether it is the same, different or absent, and why")
  func complete() throws {
    let tests = "/Tests/LocationServicesTests/DocumentationTests.swift"
    let file =
      #filePath.dropLast(tests.count)
      + "/Sources/LocationServices/LocationServices.docc/CoreLocation.md"
    let text = try String(contentsOfFile: String(file), encoding: .utf8)
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("|") }
      .map { $0.split(separator: "|", omittingEmptySubsequences: false) }
    #expect(rows.allSatisfy { $0.count == 5 })
    for member in Self.members {
      #expect(
        rows.contains { row in row[1].contains("`\(member)`") || row[3].contains("`\(member)`") },
        "\(member)")
    }
    for row in rows where row[1].contains("`") {
      let verdict = row[3].trimmingCharacters(in: .whitespaces)
      #expect(["same", "differs", "absent"].contains { verdict.hasPrefix($0) }, "\(row)")
      #expect(verdict.hasPrefix("absent") == !row[2].contains("``"), "\(row)")
    }
  }
}
