// SPDX-License-Identifier: Apache-2.0

public import Observation
public import Positioning
public import WeatherClient

/// Fetches the weather for a default location and for the location of the device, at the same time.
@MainActor @Observable
public final class RootViewModel {
  /// A report with its subject.
  public struct Fetched: Equatable, Sendable {
    /// The subject of a fetch.
    public enum Subject: Hashable, Sendable {
      /// The default location, which is not the location of the device.
      case defaultLocation
      /// The location of the device.
      case device
    }

    /// The subject of the fetch.
    public var subject: Subject
    /// The weather.
    public var report: WeatherReport

    /// Creates a result.
    public init(subject: Subject, report: WeatherReport) {
      self.subject = subject
      self.report = report
    }
  }

  /// The weather of the device or, until its first success, of the default location.
  ///
  /// `nil` before the first success.
  public private(set) var weather: Fetched?
  /// The error of the device's fetch or, if there is none, of the default location's fetch.
  public private(set) var error: WeatherDataError?
  /// Called with the result of each fetch.
  ///
  /// Not called for the default location once the weather of the device is known.
  @ObservationIgnored
  public var didFetchWeatherData: (@MainActor (Result<Fetched, WeatherDataError>) -> Void)?

  @ObservationIgnored private var defaultFetch: OwnedTask?
  @ObservationIgnored private var deviceFetch: OwnedTask?

  /// Creates a model and starts both fetches.
  ///
  /// - Parameters:
  ///   - locationService: Fetches the location of the device.
  ///   - weatherClient: Looks up the weather.
  ///   - defaultLocation: The location to show first, such as a large town; `nil` to show only the
  ///     weather of the device. The model never presents this location as the device's.
  public init(
    locationService: any LocationService, weatherClient: WeatherClient, defaultLocation: Coordinate?
  ) {
    if let defaultLocation {
      defaultFetch = OwnedTask { [weak self] in
        let result = await Self.fetch(.defaultLocation, at: defaultLocation, weatherClient)
        // The weather of the device is known, or the model has been released.
        if !Task.isCancelled { self?.finishDefault(result) }
      }
    }
    deviceFetch = OwnedTask { [weak self] in
      let result: Result<Fetched, WeatherDataError>
      do throws(LocationServiceError) {
        let location = try await locationService.fetchLocation()
        result = await Self.fetch(.device, at: location.coordinate, weatherClient)
      } catch .notAuthorizedToRequestLocation {
        result = .failure(.notAuthorizedToRequestLocation)
      } catch {
        result = .failure(.failedToRequestLocation)
      }
      self?.finishDevice(result)
    }
  }

  private static func fetch(
    _ subject: Fetched.Subject, at coordinate: Coordinate, _ client: WeatherClient
  ) async -> Result<Fetched, WeatherDataError> {
    do throws(WeatherError) {
      let report = try await client.weather(.coordinate(coordinate))
      return .success(Fetched(subject: subject, report: report))
    } catch {
      return .failure(.noWeatherDataAvailable)
    }
  }

  private func finishDefault(_ result: Result<Fetched, WeatherDataError>) {
    switch result {
    case .success(let fetched): weather = fetched
    // Keep an error of the device, which the user can act on.
    case .failure(let failure): error = error ?? failure
    }
    didFetchWeatherData?(result)
  }

  private func finishDevice(_ result: Result<Fetched, WeatherDataError>) {
    switch result {
    case .success(let fetched):
      (weather, error) = (fetched, nil)
      defaultFetch = nil
    // Keep the weather of the default location.
    case .failure(let failure): error = failure
    }
    didFetchWeatherData?(result)
  }
}

/// An error of ``RootViewModel``, with texts for an alert.
public enum WeatherDataError: Error, Equatable, Hashable, Sendable, CaseIterable {
  /// The program is not authorized to receive locations.
  case notAuthorizedToRequestLocation
  /// The location could not be determined.
  case failedToRequestLocation
  /// The weather lookup failed.
  case noWeatherDataAvailable

  /// The title of the alert.
  public var title: String {
    switch self {
    case .notAuthorizedToRequestLocation, .failedToRequestLocation:
      "Unable to Fetch Weather Data for Your Location"
    case .noWeatherDataAvailable: "Unable to Fetch Weather Data"
    }
  }

  /// The message of the alert.
  public var message: String {
    switch self {
    case .notAuthorizedToRequestLocation:
      "This program is not authorized to know your location. To grant access, see the output of "
        + "fixcast auth pending."
    case .failedToRequestLocation:
      "Your location could not be found, due to a technical issue."
    case .noWeatherDataAvailable:
      "No weather data is available. Is the board connected to the internet?"
    }
  }
}
