// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import LocationServices
import Testing

extension AuthCommandTests {
  private static let startHint = "start the daemon with: sudo systemctl start fixcast"

  @Test func `auth prints that an answer for another user requires the daemon, and how to start it`() async throws {
    let board = try AuthFixture()
    for words in [["allow", "uid=65534"], ["explain", "uid=65534"], ["deny", "uid=65534"]] {
      let lines = try await board.run(["auth"] + words).lines
      #expect(lines.count { $0.hasSuffix(Self.startHint) } == 1, "\(words): \(lines)")
      #expect(lines.contains { $0.contains("without the daemon, answers apply only to ") })
    }
    for words in [["allow", board.me], ["explain", board.me], ["deny", board.me]] {
      let lines = try await board.run(["auth"] + words).lines
      #expect(!lines.contains { $0.contains("daemon") }, "\(words): \(lines)")
    }
    _ = try await board.auth("reset", "uid=65534")
    let policy = PolicyFiles(
      client: ClientIdentity(userID: 65534), places: PolicyPaths(root: board.root),
      report: { _ in })
    let updates = policy.updates()
    _ = await policy.answer(.whenInUse, purpose: "a test")
    let pending = try await board.auth("pending").lines
    #expect(pending.last?.hasSuffix(Self.startHint) == true, "\(pending)")
    withExtendedLifetime(updates) {}
  }

  private static let asOtherUser = ["setpriv", "--reuid=12345", "--regid=12345", "--clear-groups"]

  @Test(.needsOtherUser)
  func `a user who may not read the answers gets no access and an error that names sudo`() async throws {
    let board = try AuthFixture()
    _ = try await board.auth("allow", "uid=12345")
    try #require(chmod(board.root, 0o755) == 0)
    for command in ["auth list", "auth allow uid=12345", "locate --source $S"] {
      let result = try await board.shell(Self.asOtherUser, "$F \(command)")
      #expect(result.code == 77, "\(command): \(result.lines)")
      #expect(result.lines.last?.contains("Permission denied") == true, "\(result.lines)")
      #expect(result.lines.last?.contains("sudo") == true, "\(result.lines)")
      if command.hasPrefix("locate") {
        #expect(result.lines.last?.contains("only root may read operators' answers") == true)
        let end = "reads them for every user, so start it with: sudo systemctl start fixcast"
        #expect(result.lines.last?.hasSuffix(end) == true, "\(result.lines)")
      }
    }
    try #require(chmod(board.policyFile, 0o600) == 0)
    let locked = try await board.shell(Self.asOtherUser, "$F locate --source $S")
    #expect(locked.code == 78)
    #expect(locked.lines.last?.hasSuffix("10-board.conf: open: Permission denied") == true)
  }

  @Test(.enabled(if: geteuid() == 0 && AuthFixture.canRun("unshare", "-m"), "needs root to mount a disk"))
  func `on a full disk without a reserve file, auth fails, grants nothing and keeps all answers`() async throws {
    let board = try AuthFixture(policy: "ask everyone\n")
    let script = """
      set -e
      mkdir -p $R/var/lib/fixcast
      mount -t tmpfs -o size=32k none $R/var/lib/fixcast
      $F auth deny uid=1
      cp $R/var/lib/fixcast/decisions.json $R/before
      rm $R/var/lib/fixcast/decisions.reserve
      cat /dev/zero >$R/var/lib/fixcast/fill 2>/dev/null || true
      $F auth allow uid=2 || echo "exit $?"
      cmp $R/before $R/var/lib/fixcast/decisions.json && echo same
      $F locate --source $S --timeout 1 || echo "exit $?"
      rm $R/var/lib/fixcast/fill
      $F auth allow uid=2
      ls -A $R/var/lib/fixcast
      """
    let result = try await board.shell(["unshare", "-m"], script)
    #expect(result.code == 0, "\(result.lines)")
    let lines = result.lines.map { $0.replacing(board.root, with: "") }
    #expect(
      lines.contains {
        $0.hasPrefix("fixcast: /var/lib/fixcast/decisions.json.new: write: No space left on device")
      })
    #expect(lines.contains("exit 74") && lines.contains("same"))
    #expect(lines.contains { $0.contains("requests and grants cannot be written") })
    #expect(lines.contains("exit 77"))
    #expect(!lines.contains { $0.hasPrefix("position") })
    #expect(
      lines.suffix(5) == [
        "audit.lock", "decisions.json", "decisions.lock", "decisions.reserve", "uses.jsonl",
      ])
  }

  @Test(.enabled(if: geteuid() == 0 && AuthFixture.canRun("unshare", "-m"), "needs root to mount a disk"))
  func `an operator can revoke an answer while the disk is full`() async throws {
    let board = try AuthFixture(policy: "ask everyone\n")
    let script = """
      set -e
      mkdir -p $R/var/lib/fixcast
      mount -t tmpfs -o size=64k none $R/var/lib/fixcast
      $F auth allow uid=1
      cat /dev/zero >$R/var/lib/fixcast/fill 2>/dev/null || true
      $F auth deny uid=1
      $F auth list
      """
    let result = try await board.shell(["unshare", "-m"], script)
    #expect(result.code == 0, "\(result.lines)")
    #expect(result.lines.contains { $0.contains("deny uid=1  permanent") }, "\(result.lines)")
  }
}
