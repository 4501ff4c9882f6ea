// SPDX-License-Identifier: Apache-2.0

import LocationServices
import Plugins
import Positioning

/// Reduces a fix to about five kilometres, by the way every client's locations are reduced.
enum ReducedFix {
  /// Grants reduced accuracy and nothing else.
  private struct Policy: AuthorizationPolicy, ReducedCellKeeper {
    let reducedCell: ReducedCell
    let initialAuthorization = Authorization(
      .authorizedWhenInUse, accuracy: .reducedAccuracy)

    func answer(
      _ request: AuthorizationRequest, purpose: String
    ) async -> AuthorizationAnswer { .decided(initialAuthorization) }
  }

  /// The fix as a program of reduced accuracy would get it; `nil` for one without a position.
  ///
  /// By the cell that the board had before, so that asking again tells nothing more.
  static func of(_ fix: Fix, at places: PolicyPaths) async -> Fix? {
    let (stream, continuation) = AsyncStream.makeStream(of: Location.self)
    let listener = Listener(continuation)
    let manager = LocationManager(
      policy: Policy(reducedCell: places.reducedCell), purpose: "fixcast locate")
    manager.delegate = listener
    manager.startUpdatingLocation()
    manager.ingest(.fix(fix))
    await manager.waitUntilDelivered()
    continuation.finish()
    var reduced: Location?
    for await location in stream { reduced = location }
    // Its age beside the coarsened time would tell the time that it was coarsened from.
    reduced?.receivedAt = nil
    return withExtendedLifetime(listener) { reduced.map(Fix.init) }
  }

  private final class Listener: LocationManagerDelegate {
    private let locations: AsyncStream<Location>.Continuation

    init(_ locations: AsyncStream<Location>.Continuation) { self.locations = locations }

    func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
      for location in locations { self.locations.yield(location) }
    }
  }
}
