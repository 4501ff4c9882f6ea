// SPDX-License-Identifier: Apache-2.0

public import LocationClient
internal import LocationServices
public import Positioning

/// Fetches one location at a time, with a completion in place of a delegate.
@MainActor
public final class LocationService {
  /// Takes the location, or why there is none.
  public typealias FetchLocationCompletion =
    @MainActor (Result<Location, LocationServiceError>) -> Void

  private let client: LocationClient
  private let timeout: Duration
  private let clock: any Clock<Duration>
  private var fetches = LocationFetches()
  private var completions: [UInt64: FetchLocationCompletion] = [:]
  private var timers: [UInt64: OwnedTask] = [:]
  private var lastNumber: UInt64 = 0
  private var subscription: OwnedTask?

  /// Makes a service that has asked for nothing yet.
  ///
  /// - Parameters:
  ///   - locationClient: Where locations come from.
  ///   - timeout: How long a call waits, from the call on, a request for authorization included.
  ///   - clock: What that is measured by, such as `ContinuousClock`.
  public init(locationClient: LocationClient, timeout: Duration, clock: any Clock<Duration>) {
    client = locationClient
    self.timeout = timeout
    self.clock = clock
    // Its first event is the status: read apart, it could be newer than events yet to come.
    let events = client.delegate()
    subscription = OwnedTask { [weak self] in
      for await event in events { self?.receive(event) }
    }
  }

  /// Fetches one location; asks for authorization first where nobody has decided yet.
  ///
  /// Calls may overlap: each is completed by itself.
  ///
  /// - Parameter completion: Called once, and never before this returns; also where the service
  ///   is released meanwhile.
  public func fetchLocation(completion: @escaping FetchLocationCompletion) {
    lastNumber &+= 1
    let number = lastNumber
    completions[number] = completion
    // The service lives until the call is completed, which a timer sees to.
    timers[number] = OwnedTask { [self, clock, timeout] in
      handle(.began(number))
      if (try? await clock.sleep(for: timeout)) != nil { handle(.timedOut(number)) }
    }
  }

  /// Fetches one location, as ``fetchLocation(completion:)`` does.
  ///
  /// - Returns: The location.
  /// - Throws: `LocationServiceError` where there is none.
  public func fetchLocation() async throws(LocationServiceError) -> Location {
    let result = await withCheckedContinuation { continuation in
      fetchLocation { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  private func receive(_ event: LocationClient.DelegateEvent) {
    if case .didChangeAuthorization(let status) = event { handle(.authorization(status)) }
    if case .didUpdateLocations(let locations) = event { handle(.locations(locations)) }
    if case .didFailWithError(let error) = event { handle(.failed(error)) }
  }

  private func handle(_ event: LocationFetches.Event) {
    for action in fetches.handle(event) {
      switch action {
      case .requestWhenInUseAuthorization: client.requestWhenInUseAuthorization()
      case .requestLocation: client.requestLocation()
      case .complete(let number, let result):
        timers[number] = nil
        completions.removeValue(forKey: number)?(result)
      }
    }
  }
}

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
