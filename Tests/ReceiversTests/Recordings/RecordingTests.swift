// SPDX-License-Identifier: Apache-2.0

import Testing

/// Comparison of the decoder with gpsd on recordings of receivers.
@Suite struct RecordingTests {
  private static let comparisons = Recording.comparable.map(RecordingComparison.init)

  @Test(arguments: comparisons)
  private func `decoding a recording yields the same epochs and satellites as gpsd`(comparison: RecordingComparison) {
    let unexplained = comparison.unexplained
    #expect(
      unexplained.isEmpty,
      "\(unexplained.count) in \(comparison.name): \(unexplained.prefix(5))")
  }

  @Test(arguments: comparisons)
  private func `the times of a recording's fixes never repeat and decrease at most once`(
    comparison: RecordingComparison
  ) {
    #expect(comparison.repeatedTimes == 0)
    #expect(comparison.stepsBack <= 1)
  }

  @Test func `at least 60 recordings and nearly all fields of gpsd are compared`() throws {
    try #require(!Recording.files.isEmpty, Recording.absence)
    let total = RecordingTotal(Self.comparisons)
    print(total.description)
    #expect(total.receivers >= 60)
    // A field that our decoder does not report cannot be compared, so check the share.
    for field in [ComparedField.altitude, .speed, .course] {
      #expect(total.comparedShare(of: field) >= 0.9, "\(field)")
    }
    #expect(total.sightingShareOfGPSD >= 0.98)
    #expect(total.sightingShareOfOurs >= 0.95)
  }

  @Test(arguments: KnownGPSDError.all)
  private func `every known error of gpsd is the cause of a disagreement`(error: KnownGPSDError) throws {
    try #require(!Recording.files.isEmpty, Recording.absence)
    let comparison = try #require(Self.comparisons.first { $0.name == error.recording })
    #expect(comparison.disagreements.contains { error.explains($0, in: error.recording) })
    let recording = try #require(Recording.comparable.first { $0.name == error.recording })
    #expect(recording.contains(error.sentence), "the recording must contain the sentence")
  }
}
