// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Doctor

@Suite("Doctor findings about weather lookups")
struct LookupFindingsTests {
  private func finding(_ lookup: DoctorSnapshot.FailedLookup?) -> DoctorFinding? {
    var snapshot = DoctorSnapshot()
    snapshot.failedLookup = lookup
    return Doctor.examine(snapshot).first { $0.subject == "weather" }
  }

  @Test func `a failed lookup is a note with the provider, the error, the times and the command`() {
    let found = finding(
      .init(
        error: "openmeteo (api.open-meteo.com): weather provider not trusted: expired",
        errorAgeSeconds: 40, failingSeconds: 7300, retrySeconds: 75,
        advice: "sudo timedatectl set-ntp true"))
    #expect(found?.severity == .note)
    #expect(
      found?.text
        == "openmeteo (api.open-meteo.com): weather provider not trusted: expired; failed 40 s ago, "
        + "failing for 2 h; next lookup with the first fix after 75 s")
    #expect(found?.remedy == "sudo timedatectl set-ntp true")
  }

  @Test func `a lookup that just failed for the first time has no duration`() {
    let found = finding(
      .init(error: "nws (h): timed out", errorAgeSeconds: 3, failingSeconds: 3, retrySeconds: 0))
    #expect(found?.text == "nws (h): timed out; failed 3 s ago; next lookup with the next fix")
    #expect(found?.remedy == "journalctl -u fixcast -n 50")
  }

  @Test func `without a failed lookup there is no finding about the weather`() {
    #expect(finding(nil) == nil)
  }

  @Test func `absurd times of a daemon do not stop the doctor`() {
    #expect(
      finding(
        .init(error: "e", errorAgeSeconds: .nan, failingSeconds: .infinity, retrySeconds: -1e300))
        != nil)
  }
}
