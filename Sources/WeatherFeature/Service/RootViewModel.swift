// SPDX-License-Identifier: Apache-2.0

public import Observation
public import Positioning
public import WeatherClient

/// Weather at once, for a default place, and then for where the device is.
@MainActor @Observable
public final class RootViewModel {
  /// Weather, and what it is for.
  public struct Fetched: Equatable, Sendable {
    /// The subject of a fetch.
    public enum Subject: Hashable, Sendable {
      /// The default place: nobody is there.
      case defaultPlace
      /// Where the device is.
      case device
    }

    /// The subject of the fetch.
    public var subject: Subject
    /// The weather.
    public var report: WeatherReport

    /// Makes weather for a subject.
    public init(subject: Subject, report: WeatherReport) {
      self.subject = subject
      self.report = report
    }
  }

  /// Where the default place is; not where anything was found to be.
  public static let defaultCoordinate = Coordinate(
    latitudeDegrees: 37.335114, longitudeDegrees: -122.008928)

  /// The newest weather; `nil` before there is any.
  public private(set) var weather: Fetched?
  /// The last error; `nil` after a success.
  public private(set) var error: WeatherDataError?
  /// Told each result, weather or not.
  @ObservationIgnored
  public var didFetchWeatherData: (@MainActor (Result<Fetched, WeatherDataError>) -> Void)?

  @ObservationIgnored private var work: OwnedTask?

  /// Makes a model that begins at once.
  ///
  /// - Parameters:
  ///   - locationService: Who finds the device.
  ///   - weatherClient: Who is asked for the weather.
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
    // What is shown stays: there is nothing to replace it by.
    case .failure(let failure): error = failure
    }
    didFetchWeatherData?(result)
  }
}

/// Why a ``RootViewModel`` has no weather to show, with what to tell a person.
public enum WeatherDataError: Error, Equatable, Hashable, Sendable, CaseIterable {
  /// The program may not know where the board is.
  case notAuthorizedToRequestLocation
  /// The board's location could not be found.
  case failedToRequestLocation
  /// No weather came.
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
      "This program is not authorized to know your location. Whoever runs the board can grant it: "
        + "fixcast auth pending shows how."
    case .failedToRequestLocation:
      "Your location could not be found, due to a technical issue."
    case .noWeatherDataAvailable:
      "No weather data is available. Is the board connected to the internet?"
    }
  }
}
