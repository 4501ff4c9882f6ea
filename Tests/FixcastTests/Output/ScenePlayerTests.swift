// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing
import WeatherFeature

@testable import fixcast

/// The scenes of the demo with a manual clock.
@Suite(.timeLimit(.minutes(5))) @MainActor struct ScenePlayerTests {
  private struct Moment: Sendable {
    var elapsed: Duration
    var state: WeatherState
    var age: Double?
  }

  private let clock = ManualClock()
  private let moments = EventRecorder<Moment>()

  /// Starts a scene.
  private func play(_ name: String, seconds: Int) throws -> Task<Void, Never> {
    let scene = try #require(DemoScene.all(on: clock).first { $0.name == name })
    let player = ScenePlayer(scene: scene, length: .seconds(seconds), clock: clock)
    return Task {
      await player.play { elapsed, state, age in
        moments.record(Moment(elapsed: elapsed, state: state, age: age))
        return true
      }
    }
  }

  @Test func `scene not-determined shows place and weather after the tap, and nothing before`()
    async throws
  {
    let playing = try play("not-determined", seconds: 2)
    await moments.wait { $0.contains { $0.state.isConnected } }
    await clock.waitForSleepers(2)
    clock.advance(by: .seconds(1) - .nanoseconds(1))
    let before = moments.events
    #expect(before.allSatisfy { $0.state.currentPlace == nil && $0.state.weather == nil })
    clock.advance(by: .nanoseconds(1))
    let last = await moments.wait { $0.last?.state.weather != nil }.last
    #expect(last?.elapsed == .seconds(1))
    #expect(last?.age == 0)
    clock.advance(by: .seconds(1))
    await playing.value
  }

  @Test func `scene flakey changes every two seconds and reports the age of the last weather`()
    async throws
  {
    let playing = try play("flakey", seconds: 7)
    await clock.waitForSleepers(2)
    clock.advance(by: .seconds(2))
    await moments.wait { $0.last?.state.path == .notConnected }
    clock.advance(by: .seconds(2))
    await moments.wait { $0.last?.state.weather != nil }
    clock.advance(by: .seconds(2))
    let last = await moments.wait { $0.last?.state.path == .notConnected && $0.last?.age != nil }
      .last
    #expect(last?.elapsed == .seconds(6))
    #expect(last?.age == 2)
    #expect(last?.state.weather == nil && last?.state.lastKnownWeather != nil)
    clock.advance(by: .seconds(1))
    await playing.value
    #expect(moments.events.last?.elapsed == .seconds(6))
  }
}
