// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// A location service that completes each fetch with the same result, for tests and previews.
public struct MockLocationService: LocationService {
  /// The result of each fetch.
  public var result: Result<Location, LocationServiceError>

  /// Creates a service with a location or an error.
  public nonisolated init(_ result: Result<Location, LocationServiceError>) {
    self.result = result
  }

  /// Completes with ``result``.
  public func fetchLocation(completion: @escaping FetchLocationCompletion) {
    let result = result
    Task { completion(result) }
  }
}
