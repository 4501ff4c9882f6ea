// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

@testable import LocationServices

@Suite("Policy files: folders")
struct PolicyFoldersTests {
  private func read(_ folder: borrowing ScratchFolder) -> PolicyRules {
    PolicyFolders(administrator: folder.path + "/etc", image: folder.path + "/usr").read {
      $0 == "pi" ? 1000 : nil
    }
  }

  @Test("no folder is no rule and no problem")
  func nothing() throws {
    let folder = try ScratchFolder()
    #expect(read(folder) == PolicyRules())
  }

  @Test("reads *.conf in the order of their names, and hides the image's by the administrator's")
  func order() throws {
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

  @Test("what cannot be read is a problem that says so")
  func unreadable() throws {
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

  @Test("does not read without end")
  func bounded() throws {
    let folder = try ScratchFolder()
    for number in 0...256 { try folder.write("etc/\(number).conf", "") }
    #expect(read(folder).problems.count == 1)
  }
}
