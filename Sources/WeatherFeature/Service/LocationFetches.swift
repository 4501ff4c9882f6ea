// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Positioning

/// Decides what becomes of calls that each want one location: events in, actions out.
///
/// Every call that began is completed once, and the location manager is asked once for all that
/// wait together.
struct LocationFetches: Equatable, Sendable {
  /// What happens to it.
  enum Event: Equatable, Sendable {
    /// A call, under a number of its own.
    case began(UInt64)
    case authorization(AuthorizationStatus)
    /// Locations, the newest last.
    case locations([Location])
    case failed(LocationError)
    /// The call of that number has waited for long enough.
    case timedOut(UInt64)
  }

  /// What is to be done.
  enum Action: Equatable, Sendable {
    case requestWhenInUseAuthorization
    case requestLocation
    case complete(UInt64, Result<Location, LocationServiceError>)
  }

  private enum Request: Equatable {
    case authorization
    case location
  }

  private var waiting: [UInt64] = []
  private var status: AuthorizationStatus?
  /// What the manager was asked for last, while calls wait for it.
  private var request: Request?

  /// Takes an event; what is to be done, in order.
  mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .began(let number):
      waiting.append(number)
      return proceed()
    case .authorization(let status):
      self.status = status
      return proceed()
    case .locations(let locations):
      guard let newest = locations.last, status?.isAuthorized == true else { return [] }
      return completeAll(.success(newest))
    case .failed(.denied): return completeAll(.failure(.notAuthorizedToRequestLocation))
    case .failed(let error):
      // Others are about regions and headings, which somebody else asked for.
      guard error == .locationUnknown || error == .network else { return [] }
      return completeAll(.failure(.locationFailed(error)))
    case .timedOut(let number):
      guard let index = waiting.firstIndex(of: number) else { return [] }
      waiting.remove(at: index)
      if waiting.isEmpty { request = nil }
      return [.complete(number, .failure(.timedOut))]
    }
  }

  private mutating func proceed() -> [Action] {
    guard let status, !waiting.isEmpty else { return [] }
    if status.isRefused { return completeAll(.failure(.notAuthorizedToRequestLocation)) }
    let wanted: Request = status.isAuthorized ? .location : .authorization
    guard request != wanted else { return [] }
    request = wanted
    return [wanted == .location ? .requestLocation : .requestWhenInUseAuthorization]
  }

  private mutating func completeAll(
    _ result: Result<Location, LocationServiceError>
  ) -> [Action] {
    defer { (waiting, request) = ([], nil) }
    return waiting.map { .complete($0, result) }
  }
}
