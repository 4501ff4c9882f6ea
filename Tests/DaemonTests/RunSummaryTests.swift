// SPDX-License-Identifier: Apache-2.0

import Pipeline
import Receivers
import Testing

@testable import Daemon

@Suite("Run summary")
struct RunSummaryTests {
  @Test func `the run summary contains the number of errors, and of lookups by outcome`() {
    var summary = RunSummary(
      input: NMEACounters(), pipeline: PipelineCounters(), droppedLocations: 0)
    #expect(
      summary.text == """
        0 sentences, 0 epochs, 0 fixes, 0 locations
        0 weather lookups started, 0 answered, 0 failed; 0 locations held
        0 errors
        """)
    (summary.input.bytes, summary.input.wrongChecksums) = (400, 5)
    summary.pipeline.errors = 2
    summary.pipeline.lookupsAsked = 4
    summary.pipeline.lookupsAnswered = 1
    summary.pipeline.lookupsFailed = 2
    summary.pipeline.held = 3
    summary.pipeline.dropped = 1
    summary.sourceFailure = "unplugged"
    #expect(
      summary.text == """
        0 sentences, 0 epochs, 0 fixes, 0 locations
        4 weather lookups started, 1 answered, 2 failed; 3 locations held
        8 errors
        received 400 bytes, 5 lines: 0 used, 5 with a wrong checksum
        1 dropped, because the output was too slow
        """)
  }
}
