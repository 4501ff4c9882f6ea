// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// The state machine of ``LiveLocationService``, which receives events and returns actions.
///
/// Completes each fetch exactly once. Sends one request to the location manager for all fetches
/// that are pending at the same time.
struct LocationFetches: Equatable, Sendable {
  /// The input of the state machine.
  enum Event: Equatable, Sendable {
    /// A fetch with this number began.
    case began(UInt64)
    case authorization(AuthorizationStatus)
    /// Events were lost, among them perhaps an authorization or the location; the current
    /// authorization.
    case eventsLost(AuthorizationStatus)
    /// Locations, the newest last.
    case locations([Location])
    case failed(LocationError)
    /// The fetch with this number timed out.
    case timedOut(UInt64)
  }

  /// The output of the state machine.
  enum Action: Equatable, Sendable {
    case requestWhenInUseAuthorization
    case requestLocation
    case complete(UInt64, Result<Location, LocationServiceError>)
  }

  private enum Request: Equatable {
    case authorization
    case location
  }

  private var pending: [UInt64] = []
  private var status: AuthorizationStatus?
  /// The last request to the location manager; `nil` while no fetch is pending.
  private var request: Request?

  /// Handles an event and returns the actions to perform, in order.
  mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .began(let number):
      pending.append(number)
      return sendRequest()
    case .authorization(let status):
      self.status = status
      return sendRequest()
    case .eventsLost(let status):
      self.status = status
      request = nil
      return sendRequest()
    case .locations(let locations):
      guard let newest = locations.last, status?.isAuthorized == true else { return [] }
      return completeAll(.success(newest))
    case .failed(.denied): return completeAll(.failure(.notAuthorizedToRequestLocation))
    case .failed(let error):
      // Ignore other errors, which concern regions and headings.
      guard error == .locationUnknown || error == .network else { return [] }
      return completeAll(.failure(.locationFailed(error)))
    case .timedOut(let number):
      guard let index = pending.firstIndex(of: number) else { return [] }
      pending.remove(at: index)
      if pending.isEmpty { request = nil }
      return [.complete(number, .failure(.timedOut))]
    }
  }

  private mutating func sendRequest() -> [Action] {
    guard let status, !pending.isEmpty else { return [] }
    if status.isRefused { return completeAll(.failure(.notAuthorizedToRequestLocation)) }
    let next: Request = status.isAuthorized ? .location : .authorization
    guard request != next else { return [] }
    request = next
    return [next == .location ? .requestLocation : .requestWhenInUseAuthorization]
  }

  private mutating func completeAll(
    _ result: Result<Location, LocationServiceError>
  ) -> [Action] {
    defer { (pending, request) = ([], nil) }
    return pending.map { .complete($0, result) }
  }
}
