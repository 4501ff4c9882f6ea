// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Doctor

@Suite("Doctor findings about this user's access and about a failed service")
struct DoctorPermissionTests {
  private func snapshot(_ access: DoctorSnapshot.Permission?) -> DoctorSnapshot {
    var snapshot = DoctorSnapshot()
    snapshot.mode = .enforced(socket: "/run/s")
    snapshot.permission = access
    return snapshot
  }

  private func findings(_ snapshot: DoctorSnapshot, about subject: String) -> [DoctorFinding] {
    Doctor.examine(snapshot).filter { $0.subject == subject }
  }

  private static let denied = DoctorSnapshot.Permission.none(
    reason: "user=pi may not know where the board is", remedy: "sudo fixcast auth allow user=pi")

  @Test(arguments: [(false, "full"), (true, "reduced")])
  func `access is a good finding with its accuracy`(isReduced: Bool, word: String) {
    let found = findings(snapshot(.allowed(isReduced: isReduced)), about: "permission")
    #expect(found.map(\.severity) == [.good])
    #expect(found.first?.text == "this user may know the position, with \(word) accuracy")
    let later = findings(snapshot(.allowedOnRequest), about: "permission")
    #expect(later.map(\.severity) == [.good])
  }

  @Test func `a user without access gets a bad finding with the command that allows it`() {
    let found = findings(snapshot(Self.denied), about: "permission")
    #expect(
      found == [
        DoctorFinding(
          .bad, "permission", "user=pi may not know where the board is", remedy: "sudo fixcast auth allow user=pi")
      ])
  }

  @Test func `a switch or an invalid policy that denies access to all is not reported twice`() {
    var off = snapshot(Self.denied)
    off.board.switchOn = "sudo fixcast auth reset everyone"
    #expect(findings(off, about: "permission").isEmpty && findings(off, about: "switch").count == 1)
    var broken = snapshot(Self.denied)
    broken.board.policyFaults = ["10.conf:1: not a rule"]
    #expect(findings(broken, about: "permission").isEmpty && findings(broken, about: "policy").count == 1)
  }

  @Test func `the age of the last position is a good finding, for authorized users and a working source`() {
    var working = snapshot(.allowed(isReduced: false))
    #expect(findings(working, about: "fix").isEmpty)
    working.daemonSource.fixAge = "0.4 s"
    #expect(
      findings(working, about: "fix")
        == [DoctorFinding(.good, "fix", "the last position is 0.4 s old")])
    working.daemonSource.fault = "the source has stopped delivering data"
    #expect(findings(working, about: "fix").isEmpty)
    var denied = snapshot(Self.denied)
    denied.daemonSource.fixAge = "0.4 s"
    #expect(findings(denied, about: "fix").isEmpty)
  }

  @Test func `a failed service is a bad finding in place of the note that no daemon is running`() {
    var snapshot = DoctorSnapshot()
    snapshot.mode = .cooperative(socket: "/run/s")
    snapshot.serviceFailure = "exit status 78"
    #expect(findings(snapshot, about: "mode").isEmpty)
    let found = findings(snapshot, about: "service")
    #expect(found.map(\.severity) == [.bad])
    #expect(found.first?.text.contains("(exit status 78)") == true)
    #expect(found.first?.remedy?.hasPrefix("sudo journalctl -u fixcast -n 20 ") == true)
  }
}
