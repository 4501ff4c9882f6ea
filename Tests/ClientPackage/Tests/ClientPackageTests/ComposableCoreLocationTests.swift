// SPDX-License-Identifier: Apache-2.0

import ClientTesting
import LocationClient
import Positioning
import Testing

/// The sample of "Coming from composable-core-location" runs as described.
@Suite(.timeLimit(.minutes(5))) struct ComposableCoreLocationTests {
  @Test func `the reducer sample handles a denial and a grant`() async {
    // sample: begin
    var state = FeatureState()
    let effect = reduce(&state, .didChangeAuthorization(.denied))
    #expect(effect == nil && state.alert != nil)
    // sample: end
    #expect(reduce(&state, .didChangeAuthorization(.authorizedAlways)) == .requestLocation)
  }

  @Test func `the store of the reducer sample uses only the endpoints of the denial`() async {
    // sample: begin
    let (events, manager) = AsyncStream.makeStream(of: LocationClient.DelegateEvent.self)
    var client = LocationClient.unimplemented
    client.delegate = { events }
    client.requestWhenInUseAuthorization = { manager.yield(.didChangeAuthorization(.denied)) }
    manager.yield(.didChangeAuthorization(.notDetermined))
    var states: [FeatureState] = []
    await runFeature(client) { state in
      states.append(state)
      if state.alert != nil { manager.finish() }
    }
    #expect(states.map { $0.alert != nil } == [false, true])
    // sample: end
  }

  @Test func `the store of the reducer sample handles a denial and a grant`() async {
    for (client, isAlerted) in [
      (LocationClient.notDeterminedDenied, true), (.notDetermined, false),
    ] {
      let states = EventRecorder<FeatureState>()
      let running = Task { await runFeature(client) { states.record($0) } }
      await states.wait { $0.contains { isAlerted ? $0.alert != nil : $0.location != nil } }
      running.cancel()
      await running.value
    }
  }
}
