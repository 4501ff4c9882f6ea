// SPDX-License-Identifier: Apache-2.0

import LocationServices
import Plugins
import Positioning

/// Reduces the accuracy of a fix to about five kilometres, as `LocationManager` does.
enum ReducedFix {
  /// A policy that grants reduced accuracy only.
  private struct Policy: AuthorizationPolicy, ReducedCellProvider {
    let reducedCell: ReducedCell
    let initialAuthorization = Authorization(
      .authorizedWhenInUse, accuracy: .reducedAccuracy)

    func answer(
      _ request: AuthorizationRequest, purpose: String
    ) async -> AuthorizationAnswer { .decided(initialAuthorization) }
  }

  /// Returns the fix with reduced accuracy; `nil` if the fix has no position.
  ///
  /// Uses the stored cell while it is valid, so that repeated requests reveal no more than one.
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
    // The exact age would reveal the exact time.
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
