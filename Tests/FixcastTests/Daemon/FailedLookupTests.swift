// SPDX-License-Identifier: Apache-2.0

import Doctor
import Testing

@testable import fixcast

@Suite("The daemon's failed weather lookup") struct FailedLookupTests {
  private static func lookup(_ weather: String) throws -> [String?]? {
    let overview = try #require(DaemonOverview(json: Array(#"{"weather":{\#(weather)}}"#.utf8)))
    return overview.weather?.failedLookup.map {
      [
        $0.error, $0.errorAgeSeconds.map { "\($0)" }, $0.failingSeconds.map { "\($0)" },
        $0.retrySeconds.map { "\($0)" }, $0.advice,
      ]
    }
  }

  @Test func `the doctor gets the error, its times and the advice from the daemon's status`() throws {
    let weather =
      #""lastError":"e","errorAge":1.5,"failingFor":60.0,"advice":"fixcast path","retryAfter":30.0"#
    #expect(try Self.lookup(weather) == ["e", "1.5", "60.0", "30.0", "fixcast path"])
    // While the gate holds locations, the time of the next lookup is not known.
    #expect(
      try Self.lookup(weather + #","held":"noCarrier""#)
        == ["e", "1.5", "60.0", nil, "fixcast path"])
  }

  @Test func `the doctor gets no failed lookup after a reply, or if the weather is off`() throws {
    #expect(try Self.lookup(#""provider":"metno","answerAge":1.0"#) == nil)
    #expect(try Self.lookup(#""isOff":true"#) == nil)
  }
}
