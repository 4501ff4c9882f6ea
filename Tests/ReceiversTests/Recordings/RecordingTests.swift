// SPDX-License-Identifier: Apache-2.0

import Testing

/// The decoder against gpsd on recorded receivers, epoch by epoch.
@Suite struct RecordingTests {
  private static let comparisons = Recording.comparable.map(RecordingComparison.init)

  @Test(
    "a recorded receiver decodes to gpsd's epochs and satellites", arguments: comparisons)
  private func agreesWithGPSD(comparison: RecordingComparison) {
    let unexplained = comparison.unexplained
    #expect(
      unexplained.isEmpty,
      "\(unexplained.count) in \(comparison.name): \(unexplained.prefix(5))")
  }

  @Test(
    "a recorded receiver's fixes repeat no time and go back at most once, as a clock is set",
    arguments: comparisons)
  private func timesAdvance(comparison: RecordingComparison) {
    #expect(comparison.repeatedTimes == 0)
    #expect(comparison.stepsBack <= 1)
  }

  @Test("at least 60 recorded receivers are compared with gpsd, and nearly all that it states")
  func comparesEnough() throws {
    try #require(!Recording.files.isEmpty, Recording.absence)
    let total = RecordingTotal(Self.comparisons)
    print(total.description)
    #expect(total.receivers >= 60)
    // A decoder that lost a field would have nothing to compare: gpsd derives the rest.
    for field in [ComparedField.altitude, .speed, .course] {
      #expect(total.comparedShare(of: field) >= 0.9, "\(field)")
    }
    #expect(total.sightingShareOfGPSD >= 0.98)
    #expect(total.sightingShareOfOurs >= 0.95)
  }

  @Test("every known error of gpsd still explains a disagreement", arguments: KnownGPSDError.all)
  private func knownErrorIsNeeded(error: KnownGPSDError) throws {
    try #require(!Recording.files.isEmpty, Recording.absence)
    let comparison = try #require(Self.comparisons.first { $0.name == error.recording })
    #expect(comparison.disagreements.contains { error.explains($0, in: error.recording) })
    let recording = try #require(Recording.comparable.first { $0.name == error.recording })
    #expect(recording.holds(error.sentence), "the sentence that proves it")
  }
}
