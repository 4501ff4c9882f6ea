// SPDX-License-Identifier: Apache-2.0

public import WeatherClient

extension WeatherClient {
  /// A provider that fails the running test by the name of whatever endpoint is used.
  ///
  /// Either endpoint then throws `WeatherError.unsupported`. A test target that uses it also
  /// depends on the product `IssueReportingTestSupport`.
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
