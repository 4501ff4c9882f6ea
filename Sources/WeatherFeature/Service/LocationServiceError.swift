// SPDX-License-Identifier: Apache-2.0

public import LocationServices

/// Why a ``LocationService`` has no location to give.
public enum LocationServiceError: Error, Equatable, Hashable, Sendable {
  /// The program may not know where the board is.
  case notAuthorizedToRequestLocation
  /// The location manager says that there is none.
  case locationFailed(LocationError)
  /// None came in time; neither, perhaps, did an answer to the request for authorization.
  case timedOut
}

extension LocationServiceError: CustomStringConvertible {
  /// The error in a sentence.
  public var description: String {
    switch self {
    case .notAuthorizedToRequestLocation: "not authorized to know the location"
    case .locationFailed(let error): "\(error)"
    case .timedOut: "no location came in time"
    }
  }
}
