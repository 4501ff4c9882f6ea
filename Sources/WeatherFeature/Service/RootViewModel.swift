// SPDX-License-Identifier: Apache-2.0

public import Observation
public import Positioning
public import WeatherClient

/// Fetches the weather for a default place, then for the location of the device.
@MainActor @Observable
public final class RootViewModel {
  /// A report with its subject.
  public struct Fetched: Equatable, Sendable {
    /// The subject of a fetch.
    public enum Subject: Hashable, Sendable {
      /// The default place, which is not the location of the device.
      case defaultPlace
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

  /// The coordinate of the default place.
  ///
  /// The coordinate is never presented as the location of the device.
  public static let defaultCoordinate = Coordinate(
    latitudeDegrees: 37.335114, longitudeDegrees: -122.008928)

  /// The newest weather, or `nil` before the first success.
  public private(set) var weather: Fetched?
  /// The error of the last fetch, or `nil` if the last fetch succeeded.
  public private(set) var error: WeatherDataError?
  /// Called with the result of each fetch.
  @ObservationIgnored
  public var didFetchWeatherData: (@MainActor (Result<Fetched, WeatherDataError>) -> Void)?

  @ObservationIgnored private var work: OwnedTask?

  /// Creates a model and starts both fetches.
  ///
  /// - Parameters:
  ///   - locationService: Fetches the location of the device.
  ///   - weatherClient: Looks up the weather.
  public init(locationService: LocationService, weatherClient: WeatherClient) {
    work = OwnedTask { [weak self] in
      if let coordinate = Self.defaultCoordinate {
        let result = await Self.fetch(.defaultPlace, at: coordinate, weatherClient)
        self?.finish(result)
      }
      let result: Result<Fetched, WeatherDataError>
      do throws(LocationServiceError) {
        let location = try await locationService.fetchLocation()
        result = await Self.fetch(.device, at: location.coordinate, weatherClient)
      } catch .notAuthorizedToRequestLocation {
        result = .failure(.notAuthorizedToRequestLocation)
      } catch {
        result = .failure(.failedToRequestLocation)
      }
      self?.finish(result)
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

  private func finish(_ result: Result<Fetched, WeatherDataError>) {
    switch result {
    case .success(let fetched): (weather, error) = (fetched, nil)
    // Keep the previous weather.
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
