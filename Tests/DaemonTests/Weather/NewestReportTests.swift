// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing
import WeatherClient

@testable import Daemon

@Suite("Reports of the fleet") struct NewestReportTests {
  @Test func `of many reports that arrive while one is processed, only the newest is processed after it`() async {
    let (turns, turn) = AsyncStream<Void>.makeStream()
    let ages = EventRecorder<Int64>()
    let slot = NewestReport { report in
      ages.record(report.ageSeconds)
      for await _ in turns { break }
    }
    let report = Samples.report()
    slot.receive(.init(report: report, ageSeconds: 0))
    await ages.wait(for: 1)
    for age in 1...5000 { slot.receive(.init(report: report, ageSeconds: Int64(age))) }
    #expect(slot.replacedCount == 4999)
    turn.yield()
    #expect(await ages.wait(for: 2) == [0, 5000])
    turn.finish()
  }
}
