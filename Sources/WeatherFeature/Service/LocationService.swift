// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// Fetches single locations with a completion handler instead of a delegate.
///
/// A program passes ``LiveLocationService``, and a test passes ``MockLocationService``.
@MainActor
public protocol LocationService {
  /// A completion handler that receives the location or an error.
  typealias FetchLocationCompletion = @MainActor (Result<Location, LocationServiceError>) -> Void

  /// Fetches one location, and requests authorization first if authorization is not determined.
  ///
  /// - Parameter completion: Called exactly once, after this method has returned.
  func fetchLocation(completion: @escaping FetchLocationCompletion)
}

extension LocationService {
  /// Fetches one location, like ``fetchLocation(completion:)``.
  public func fetchLocation() async throws(LocationServiceError) -> Location {
    let result = await withCheckedContinuation { continuation in
      fetchLocation { continuation.resume(returning: $0) }
    }
    return try result.get()
  }
}

/// An error of ``LocationService``.
public enum LocationServiceError: Error, Equatable, Hashable, Sendable {
  /// The program is not authorized to receive locations.
  case notAuthorizedToRequestLocation
  /// The location manager reported an error.
  case locationFailed(LocationError)
  /// No location arrived within the timeout. A request for authorization may still be pending.
  case timedOut
}

extension LocationServiceError: CustomStringConvertible {
  /// A message for users.
  public var description: String {
    switch self {
    case .notAuthorizedToRequestLocation: "not authorized to know the location"
    case .locationFailed(let error): "\(error)"
    case .timedOut: "timed out waiting for a location"
    }
  }
}
