// SPDX-License-Identifier: Apache-2.0

public import LocationClient
internal import Positioning

/// A location service that fetches the locations of a `LocationClient`.
@MainActor
public final class LiveLocationService: LocationService {
  private let client: LocationClient
  private let timeout: Duration
  private let clock: any Clock<Duration>
  private var fetches = LocationFetches()
  private var completions: [UInt64: FetchLocationCompletion] = [:]
  private var timers: [UInt64: OwnedTask] = [:]
  private var lastNumber: UInt64 = 0
  private var subscription: OwnedTask?

  /// Creates a service without sending a request.
  ///
  /// - Parameters:
  ///   - locationClient: The source of locations.
  ///   - timeout: The maximum duration of a fetch, including a request for authorization.
  ///   - clock: The clock for the timeout, such as `ContinuousClock`.
  public init(locationClient: LocationClient, timeout: Duration, clock: any Clock<Duration>) {
    client = locationClient
    self.timeout = timeout
    self.clock = clock
    // The first event contains the authorization status. A status that is read directly could be
    // newer than events that are still queued.
    let events = client.delegate()
    subscription = OwnedTask { [weak self] in
      for await event in events { self?.receive(event) }
    }
  }

  /// Fetches one location, and requests authorization first if authorization is not determined.
  ///
  /// Calls may overlap. Each call is completed separately, also if the service is released in the
  /// meantime.
  ///
  /// - Parameter completion: Called exactly once, after this method has returned.
  public func fetchLocation(completion: @escaping FetchLocationCompletion) {
    lastNumber &+= 1
    let number = lastNumber
    completions[number] = completion
    // The task retains the service until the fetch completes or times out.
    timers[number] = OwnedTask { [self, clock, timeout] in
      handle(.began(number))
      if (try? await clock.sleep(for: timeout)) != nil { handle(.timedOut(number)) }
    }
  }

  private func receive(_ event: LocationClient.DelegateEvent) {
    if case .didChangeAuthorization(let status) = event { handle(.authorization(status)) }
    if case .didUpdateLocations(let locations) = event { handle(.locations(locations)) }
    if case .didFailWithError(let error) = event { handle(.failed(error)) }
    if case .didDropEvents = event { handle(.eventsLost(client.authorizationStatus())) }
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
