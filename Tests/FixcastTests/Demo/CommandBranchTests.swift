// SPDX-License-Identifier: Apache-2.0

import Daemon
import FixcastTesting
import PathMonitorClient
import Pipeline
import Positioning
import Receivers
import Testing
import WeatherClient
import WeatherFeature

@testable import fixcast

/// The gate and the stages of `watch`, `demo` and `replay` without a network.
@Suite(.timeLimit(.minutes(5))) struct CommandBranchTests {
  enum Command: CaseIterable {
    case watch, demo, replay

    func pipeline(_ client: WeatherClient, sink: any Sink) -> LocationPipeline {
      let provider = ProviderPath(client, monitor: .unsatisfied)
      return switch self {
      case .watch:
        Watch(session: SourceSession(WatchTests.Mute()), weather: nil)
          .pipeline(provider, sink: sink)
      case .demo: Demo.pipeline(client, .unsatisfied, policy: LookupPolicy(), sink: sink)
      case .replay:
        Replay(file: "", pace: .immediate, weatherURL: nil).pipeline(provider, sink: sink)
      }
    }
  }

  @Test(arguments: Command.allCases)
  func `without a network, a command finds the place of a location and starts no weather lookup`(
    command: Command
  ) async {
    let (searches, lookups) = (EventRecorder<Coordinate>(), EventRecorder<WeatherTarget>())
    let client = WeatherClient(
      searchLocations: { coordinate throws(WeatherError) in
        searches.record(coordinate)
        return []
      },
      weather: { target throws(WeatherError) in
        lookups.record(target)
        throw .cancelled
      })
    let pipeline = command.pipeline(client, sink: WholeWayTests.Collector())
    #expect(pipeline.status.dropLast().map(\.name) == ["place", "reachability", "weather"])
    pipeline.submit(.at(54, 10))
    pipeline.finish()
    await pipeline.run()
    #expect(searches.events == [.at(54, 10)])
    #expect(lookups.events.isEmpty)
    #expect(pipeline.counters.lookupsAsked == 0)
  }
}
