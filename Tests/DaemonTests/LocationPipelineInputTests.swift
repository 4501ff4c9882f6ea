// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Pipeline
import Positioning
import Testing
import WeatherFeature

@testable import Daemon

@Suite("Input of the location pipeline", .timeLimit(.minutes(5)))
struct LocationPipelineInputTests {
  private struct Recorder: Sink {
    let name = "recorder"
    let seen: EventRecorder<InstrumentEvent>
    func receive(_ event: any PipelineEvent) async throws {
      if let event = event as? InstrumentEvent { seen.record(event) }
    }
  }

  private struct FixedPolicy: AuthorizationPolicy {
    let initialAuthorization: Authorization
    func answer(_ request: AuthorizationRequest, purpose: String) async -> AuthorizationAnswer {
      .decided(initialAuthorization)
    }
  }

  @Test(arguments: [
    (Authorization(.authorizedAlways), 1), (Authorization(.denied), 0),
    (Authorization(.authorizedAlways, accuracy: .reducedAccuracy), 0),
  ])
  func `instrument readings reach the pipeline only with full accuracy`(authorization: Authorization, count: Int) async
  {
    let seen = EventRecorder<InstrumentEvent>()
    let pipeline = LocationPipeline(sinks: [Recorder(seen: seen)])
    let running = Task { await pipeline.run() }
    let manager = LocationManager(
      policy: FixedPolicy(initialAuthorization: authorization), purpose: "test")
    var reading = InstrumentReading(source: nil)
    reading.waterTemperatureDegreesCelsius = 17.9
    LocationPipelineInput(pipeline).ingest(
      .instruments(reading), into: manager, device: "/dev/ttyUSB0")
    pipeline.finish()
    _ = await running.value
    #expect(seen.events.count == count)
  }
}
