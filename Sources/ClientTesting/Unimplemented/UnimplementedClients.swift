// SPDX-License-Identifier: Apache-2.0

public import LocationClient
public import PathMonitorClient
internal import Positioning
public import WeatherClient

extension LocationClient {
  /// A client whose endpoints fail the running test.
  ///
  /// A test implements the endpoints that the feature may use, and thus proves that the feature
  /// uses no other endpoints. The unimplemented endpoints return minimal values: not determined,
  /// `nil`, not available, or an empty stream. The test target must also depend on the product
  /// `IssueReportingTestSupport`.
  public static var unimplemented: LocationClient {
    LocationClient(
      authorizationStatus: { fail("authorizationStatus", .notDetermined) },
      accuracyAuthorization: { fail("accuracyAuthorization", .reducedAccuracy) },
      locationServicesEnabled: { fail("locationServicesEnabled", false) },
      diagnostics: { fail("diagnostics", []) },
      requestWhenInUseAuthorization: { fail("requestWhenInUseAuthorization", ()) },
      requestAlwaysAuthorization: { fail("requestAlwaysAuthorization", ()) },
      requestTemporaryFullAccuracyAuthorization: { _ throws(LocationError) in
        throw fail("requestTemporaryFullAccuracyAuthorization", .denied)
      },
      beginActivity: { _ in fail("beginActivity", ()) },
      endActivity: { fail("endActivity", ()) },
      requestLocation: { fail("requestLocation", ()) },
      startUpdatingLocation: { fail("startUpdatingLocation", ()) },
      stopUpdatingLocation: { fail("stopUpdatingLocation", ()) },
      startMonitoringSignificantLocationChanges: {
        fail("startMonitoringSignificantLocationChanges", ())
      },
      stopMonitoringSignificantLocationChanges: {
        fail("stopMonitoringSignificantLocationChanges", ())
      },
      startMonitoringVisits: { fail("startMonitoringVisits", ()) },
      stopMonitoringVisits: { fail("stopMonitoringVisits", ()) },
      startUpdatingHeading: { fail("startUpdatingHeading", ()) },
      stopUpdatingHeading: { fail("stopUpdatingHeading", ()) },
      startMonitoringForRegion: { _ in fail("startMonitoringForRegion", ()) },
      stopMonitoringForRegion: { _ in fail("stopMonitoringForRegion", ()) },
      requestStateForRegion: { _ in fail("requestStateForRegion", ()) },
      monitoredRegions: { fail("monitoredRegions", []) },
      set: { _ in fail("set", ()) },
      headingAvailable: { fail("headingAvailable", false) },
      significantLocationChangeMonitoringAvailable: {
        fail("significantLocationChangeMonitoringAvailable", false)
      },
      isRegionMonitoringAvailable: { fail("isRegionMonitoringAvailable", false) },
      maximumRegionMonitoringDistance: { fail("maximumRegionMonitoringDistance", nil) },
      location: { fail("location", nil) },
      heading: { fail("heading", nil) },
      delegate: { fail("delegate", AsyncStream { $0.finish() }) })
  }

  private static func fail<Answer>(_ endpoint: String, _ answer: Answer) -> Answer {
    failTest("LocationClient.\(endpoint)")
    return answer
  }
}

extension PathMonitorClient {
  /// A monitor that fails the running test when a subscription is made.
  ///
  /// The stream is empty. The test target must also depend on the product
  /// `IssueReportingTestSupport`.
  public static var unimplemented: PathMonitorClient {
    PathMonitorClient {
      failTest("PathMonitorClient.networkPaths")
      return AsyncStream { $0.finish() }
    }
  }
}

extension WeatherClient {
  /// A client whose endpoints fail the running test and throw `WeatherError.unsupported`.
  ///
  /// The test target must also depend on the product `IssueReportingTestSupport`.
  public static var unimplemented: WeatherClient {
    WeatherClient(
      searchLocations: { _ throws(WeatherError) in throw fail("searchLocations") },
      weather: { _ throws(WeatherError) in throw fail("weather") })
  }

  private static func fail(_ endpoint: String) -> WeatherError {
    failTest("WeatherClient.\(endpoint)")
    return .unsupported("WeatherClient.\(endpoint), unimplemented")
  }
}
