// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Pipeline
import Positioning
import Synchronization
import Testing
import WeatherClientLive
import WeatherFeature

@testable import Bridge

@Suite("The daemon's word on the weather without a provider", .timeLimit(.minutes(1)))
struct OutlookReporterTests {
  private struct Recorder: Sink {
    let name = "recorder"
    let seen: EventRecorder<OutlookEvent>
    func receive(_ event: any PipelineEvent) async throws {
      if let event = event as? OutlookEvent { seen.record(event) }
    }
  }

  private static let inquiry = WeatherInquiry(
    service: WeatherService(sources: [], storePath: nil),
    sensors: IIOSensors(root: "/nonexistent"),
    utcNow: { UTCTime(secondsSince1970: 1_795_262_400) }, now: { MonotonicTime(nanoseconds: 0) })

  @Test("goes to all sinks, and is never the cause of another")
  func loop() async throws {
    let seconds = Mutex<Int64>(0)
    let seen = EventRecorder<OutlookEvent>()
    let (told, tell) = AsyncStream.makeStream(of: OutlookEvent.self)
    let heard = EventRecorder<Void>()
    // More than a minute passes with each event: each would be due.
    let reporter = OutlookReporter(
      Self.inquiry, isHere: true,
      now: {
        MonotonicTime(
          nanoseconds: seconds.withLock { seconds in
            seconds += 61
            return seconds * 1_000_000_000
          })
      }, note: { if $0 is OutlookEvent { heard.record(()) } }, tell: { tell.yield($0) })
    let pipeline = LocationPipeline(sinks: [reporter, Recorder(seen: seen)])
    let running = Task { await pipeline.run() }
    let feeding = Task { for await event in told { pipeline.submit(event) } }
    for number in 1...3 {
      pipeline.submit(WatchScene.location(at: Double(number)).location)
      await seen.wait(for: number)
      await heard.wait(for: number)
    }
    pipeline.finish()
    _ = await running.value
    tell.finish()
    await feeding.value
    #expect(seen.events.count == 3)
    #expect(seen.events.allSatisfy { $0.outlook.ladder.almanac != nil })
  }
}
