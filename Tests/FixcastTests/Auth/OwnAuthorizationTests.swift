// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import FixcastTesting
import Glibc
import Positioning
import Testing

@testable import LocationServices
@testable import fixcast

/// The access that `fixcast status` and `fixcast auth explain` report to a user.
@Suite(.serialized, .timeLimit(.minutes(2))) struct OwnAuthorizationTests {
  private static let client = ClientIdentity(userID: 65_534)

  private static func places(_ folder: borrowing ScratchFolder, policy: String) throws
    -> PolicyPaths
  {
    try folder.write("etc/fixcast/policy.d/10-board.conf", policy)
    return PolicyPaths(root: folder.path)
  }

  @Test(
    arguments: [
      ("allow uid=65534 level=when-in-use\n", .authorizedWhenInUse, true),
      ("deny everyone\n", .denied, false), ("ask everyone\n", .notDetermined, false),
      ("allow uid=1\n", .notDetermined, false), ("", .notDetermined, false),
    ] as [(String, AuthorizationStatus, Bool)])
  func `before a user requests access, status predicts the verdict of the rules`(
    policy: String, status: AuthorizationStatus, isGranted: Bool
  ) throws {
    let folder = try ScratchFolder()
    let places = try Self.places(folder, policy: policy)
    let open = DaemonAuthorization(Authorization(.notDetermined))
    let predicted = try #require(PredictedVerdict(reported: open, client: Self.client, at: places))
    #expect(predicted.verdict.authorization.status == status)
    #expect(predicted.needsOperator == (status == .notDetermined))
    let lines = StatusText(
      DaemonStatus(client: "uid=65534", authorization: open, connectionCount: 1, refusedCount: 0),
      predicted: predicted
    ).lines
    let words = "\(status)" + (isGranted ? ", full accuracy" : "")
    let ending = predicted.needsOperator ? "" : " on your first request"
    #expect(lines.contains("you may know   \(words)\(ending)"), "\(lines)")
    let namesRule = lines.contains { $0.contains("10-board.conf:1:") }
    #expect(namesRule == !predicted.needsOperator, "\(lines)")
  }

  @Test(arguments: ["a.service", nil])
  func `the predicted verdict is for access while in use, with and without a systemd unit`(_ unit: String?) throws {
    let folder = try ScratchFolder()
    let places = try Self.places(folder, policy: "allow everyone\n")
    let client = ClientIdentity(userID: 65_534, systemUnit: unit)
    let predicted = try #require(
      PredictedVerdict(reported: DaemonAuthorization(Authorization(.notDetermined)), client: client, at: places)
    )
    #expect(predicted.verdict.authorization.status == .authorizedWhenInUse)
  }

  @Test func `there is no predicted verdict if the daemon has decided or the rules are invalid`() throws {
    let folder = try ScratchFolder()
    let places = try Self.places(folder, policy: "allow everyone\n")
    for status in AuthorizationStatus.allCases where status != .notDetermined {
      let reported = DaemonAuthorization(Authorization(status))
      #expect(PredictedVerdict(reported: reported, client: Self.client, at: places) == nil)
    }
    let open = DaemonAuthorization(Authorization(.notDetermined))
    let broken = try Self.places(folder, policy: "let me in\n")
    #expect(PredictedVerdict(reported: open, client: Self.client, at: broken) == nil)
  }

  @Test(.needsOtherUser)
  func `fixcast status and fixcast auth explain report the same access to an ordinary user`() async throws {
    let board = try DaemonFixture()
    try board.configure(DaemonFixture.source("type = \"simulated\""))
    try board.folder.write("root/etc/fixcast/policy.d/10-board.conf", "allow uid=65534 level=when-in-use\n")
    for folder in ["root", "root/etc", "root/etc/fixcast", "root/etc/fixcast/policy.d"] {
      chmod("\(board.path)/\(folder)", 0o755)
    }
    var environment = board.environment
    // The answers are in the daemon's state directory.
    environment["FIXCAST_STATE_DIRECTORY"] = board.path + "/state"
    let drop = ["--reuid=65534", "--regid=65534", "--clear-groups", Program.path]
    func run(_ words: [String]) async throws -> (lines: [String], code: Int32) {
      try await ChildProcess.run(path: "/usr/bin/setpriv", arguments: drop + words, environment: environment)
    }
    func runAuth(_ words: String...) async throws {
      let result = try await Program.run("auth", words[0], words[1], environment: environment)
      #expect(result.code == 0, "\(result.lines)")
    }
    try await board.use(environment: environment) { daemon in
      _ = try await Program.run("auth", "reset", "uid=1", environment: environment)
      func expectAgreed(_ status: String, _ why: String) async throws {
        let shown = try await run(["status"])
        #expect(shown.lines.contains { $0.hasPrefix("you may know   \(status)") }, "\(shown.lines)")
        let explained = try await run(["auth", "explain"])
        #expect(explained.code == 0)
        #expect(explained.lines.contains { $0.hasPrefix("status") && $0.hasSuffix(" \(status)") }, "\(explained.lines)")
        #expect(explained.lines.contains { $0.hasPrefix("because") && $0.contains(why) }, "\(explained.lines)")
        let object = try await run(["auth", "explain", "uid=65534", "--json"])
        #expect(object.lines.count == 1)
        #expect(object.lines.first?.contains(#""status":"\#(status)""#) == true)
      }
      try await expectAgreed("authorizedWhenInUse", "10-board.conf:1: allow uid=65534")
      try await runAuth("deny", "uid=65534")
      try await expectAgreed("denied", "with: sudo fixcast auth explain uid=65534")
      try await runAuth("reset", "uid=65534")
      try await expectAgreed("authorizedWhenInUse", "10-board.conf:1: allow uid=65534")
      let other = try await run(["auth", "explain", "uid=0"])
      #expect(other.code == 77 && other.lines.count == 1, "\(other.lines)")
      #expect(other.lines.last?.contains("see: sudo fixcast auth explain uid=0") == true)
      #expect(await daemon.end() == 0)
    }
  }
}
