// SPDX-License-Identifier: Apache-2.0

import ClientTesting
import FixcastCombine
import LocationClient
import LocationServices
import OpenCombine
import Positioning
import Testing

/// The samples of "Coming from Combine and Core Location" run as described.
@Suite(.timeLimit(.minutes(5))) @MainActor struct CombineTests {
  @Test func `the view of the sample shows the title of the status, and the position`() async {
    let shown = EventRecorder<String>()
    let view = LocationView(CoreLocationObject(.notDetermined)) { shown.record($0) }
    #expect(shown.events == ["Not Determined"])
    view.authorizeButtonTapped()
    let lines = await shown.wait(for: 3)
    #expect(lines == ["Not Determined", "Authorized When In Use", "40.6782 -73.9442"])
  }

  @Test func `the view of the sample shows a denial, and no position`() async {
    let shown = EventRecorder<String>()
    let view = LocationView(CoreLocationObject(.notDeterminedDenied)) { shown.record($0) }
    view.authorizeButtonTapped()
    #expect(await shown.wait(for: 2) == ["Not Determined", "Denied"])
  }

  @Test func `the publicist of the sample publishes the status at once, and the locations`()
    async throws
  {
    let publicist = makeTestPublicist()
    let (statuses, locations) = (EventRecorder<AuthorizationStatus>(), EventRecorder<Location>())
    let subscriptions = [
      publicist.authorizationPublisher.sink { statuses.record($0) },
      publicist.locationPublisher.sink { for location in $0 { locations.record(location) } },
    ]
    #expect(statuses.events == [.notDetermined])
    publicist.manager.requestWhenInUseAuthorization()
    publicist.manager.startUpdatingLocation()
    #expect(await statuses.wait(for: 2) == [.notDetermined, .authorizedWhenInUse])
    var fix = Fix(mode: .threeDimensional)
    fix.coordinate = Coordinate(latitudeDegrees: 54.5, longitudeDegrees: 10.25)
    fix.receivedAt = .now()
    publicist.manager.ingest(.fix(fix))
    #expect(await locations.wait(for: 1).first?.coordinate == fix.coordinate)
    for subscription in subscriptions { subscription.cancel() }
  }
}
