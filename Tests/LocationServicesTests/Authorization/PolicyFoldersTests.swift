// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Positioning
import SystemSupport
import Testing

@testable import LocationServices

@Suite("Policy files: folders")
struct PolicyFoldersTests {
  private func read(_ folder: borrowing ScratchFolder) -> PolicyRules {
    PolicyFolders(administrator: folder.path + "/etc", image: folder.path + "/usr").read {
      $0 == "pi" ? 1000 : nil
    }
  }

  @Test func `missing policy folders are read as no rules and no problems`() throws {
    let folder = try ScratchFolder()
    #expect(read(folder) == PolicyRules())
  }

  @Test func `*.conf files are read in name order; /etc replaces an image's file with the same name`() throws {
    let folder = try ScratchFolder()
    try folder.write("etc/20-b.conf", "deny uid=2")
    try folder.write("etc/10-a.conf", "lock uid=1")
    try folder.write("etc/notes.txt", "not a rule")
    try folder.write("etc/.hidden.conf", "not a rule")
    try folder.write("usr/20-b.conf", "allow uid=2")
    try folder.write("usr/30-c.conf", "allow uid=3")
    let rules = read(folder)
    #expect(rules.problems.isEmpty)
    #expect(rules.administrator.map(\.selector.userID) == [1, 2])
    #expect(rules.administrator.first?.place.description == folder.path + "/etc/10-a.conf:1")
    #expect(rules.image.map(\.selector.userID) == [3])
  }

  @Test func `an unreadable rule file or folder is reported as a problem`() throws {
    let folder = try ScratchFolder()
    try folder.makeFolder("etc/10-a.conf")
    try #require(mkfifo(folder.path + "/etc/20-b.conf", 0o600) == 0)
    try #require(symlink("nowhere", folder.path + "/etc/30-c.conf") == 0)
    try folder.write("etc/40-d.conf", String(repeating: "#", count: 70_000))
    try folder.write("usr", "a file in place of the folder")
    let problems = read(folder).problems.map { $0.description.dropFirst(folder.path.count) }
    #expect(
      problems == [
        "/etc/10-a.conf: read: Is a directory", "/etc/20-b.conf: read: Invalid argument",
        "/etc/30-c.conf: open: No such file or directory", "/etc/40-d.conf: read: File too large",
        "/usr: open: Not a directory",
      ])
  }

  @Test(arguments: [0o666, 0o646, 0o664, 0o1666] as [mode_t])
  func `a rule file that others can write is not trusted, and the message contains the remedy`(mode: mode_t) throws {
    let folder = try ScratchFolder()
    try folder.write("etc/10-a.conf", "allow uid=1002")
    let path = folder.path + "/etc/10-a.conf"
    // A group-writable file of the group root is trusted.
    try #require(chmod(path, 0o664) == 0 && chmod(folder.path + "/etc", 0o755) == 0)
    if getegid() == 0 { #expect(read(folder).problems.isEmpty) }
    try #require(chmod(path, mode) == 0)
    if mode == 0o664 { try #require(geteuid() != 0 || chown(path, 0, 7) == 0) }
    let rules = read(folder)
    #expect(
      rules.problems.map(\.description) == [
        "\(path): is writable by others and therefore not trusted; fix it with: chmod go-w \(path)"
      ])
    #expect(rules.administrator.isEmpty)
    // An untrusted file restricts every client.
    #expect(
      AuthorizationEvaluation(rules: rules, ledger: .success(DecisionLedger())).verdict(
        on: ClientIdentity(userID: 1002), asking: .whenInUse, at: BootTimestamp.now()
      ).authorization.status == .restricted)
  }

  @Test func `a rule folder that others can write is not trusted, even if it is sticky or empty`() throws {
    for mode in [0o1777, 0o777, 0o757] as [mode_t] {
      let folder = try ScratchFolder()
      try folder.makeFolder("usr")
      let path = folder.path + "/usr"
      try #require(chmod(path, mode) == 0)
      #expect(
        read(folder).problems.map(\.description) == [
          "\(path): is writable by others and therefore not trusted; fix it with: chmod go-w \(path)"
        ])
    }
  }

  @Test func `a symbolic link is trusted only if others cannot replace its target`() throws {
    let folder = try ScratchFolder()
    try folder.write("target/a.conf", "allow uid=1")
    try folder.makeFolder("etc")
    try #require(symlink("../target/a.conf", folder.path + "/etc/a.conf") == 0)
    #expect(read(folder).administrator.count == 1)
    try #require(chmod(folder.path + "/target", 0o777) == 0)
    let rules = read(folder)
    #expect(rules.administrator.isEmpty)
    #expect(rules.problems.first?.message.hasPrefix("is a link into ") == true)
    #expect(rules.problems.first?.message.hasSuffix("/target") == true)
  }

  @Test func `a chain of symbolic links is trusted only if others cannot replace any of them`() throws {
    let folder = try ScratchFolder()
    try folder.write("target/a.conf", "allow uid=1")
    try folder.makeFolder("between")
    try folder.makeFolder("etc")
    try #require(symlink("../target/a.conf", folder.path + "/between/a.conf") == 0)
    try #require(symlink(folder.path + "/between/a.conf", folder.path + "/etc/a.conf") == 0)
    #expect(read(folder).administrator.count == 1)
    try #require(chmod(folder.path + "/between", 0o777) == 0)
    let rules = read(folder)
    #expect(rules.administrator.isEmpty)
    #expect(
      rules.problems.first?.message.contains("/between, which is writable by others") == true)
  }

  @Test func `a rule file is trusted only if it belongs to root or to the program's user`() {
    var status = stat()
    status.st_mode = S_IFREG | 0o644
    for (owner, isTrusted) in [(0, true), (999, true), (1002, false)] as [(UInt32, Bool)] {
      status.st_uid = owner
      let fault = RuleOwnership.fault(of: status, path: "/etc/a.conf", userID: 999)
      #expect((fault == nil) == isTrusted, "\(owner)")
      guard let fault else { continue }
      #expect(fault.contains("uid 1002") && fault.contains("chown root /etc/a.conf"))
    }
  }

  @Test func `more than 256 rule files in a folder are reported as a problem`() throws {
    let folder = try ScratchFolder()
    for number in 0...256 { try folder.write("etc/\(number).conf", "") }
    #expect(read(folder).problems.count == 1)
  }
}
