// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Positioning
import Testing

@testable import LocationServices

/// The system unit of a control group, found by the group's number in a tree of folders.
@Suite struct ControlGroupTreeTests {
  private static func number(of path: String) throws -> UInt64 {
    var status = stat()
    try #require(lstat(path, &status) == 0)
    return UInt64(status.st_ino)
  }

  @Test func `two units of one user are two clients, also a unit that starts later`() throws {
    let folder = try ScratchFolder()
    try folder.write("cgroup.controllers", "")
    try folder.makeFolder("system.slice/a.service")
    try folder.makeFolder("user.slice/user-1000.slice/session-1.scope")
    let tree = ControlGroupTree(root: folder.path)
    let group = try Self.number(of: folder.path + "/system.slice/a.service")
    #expect(tree.client(user: 1000, group: group)?.identity.systemUnit == "a.service")
    let session = try Self.number(of: folder.path + "/user.slice/user-1000.slice/session-1.scope")
    let shell = try #require(tree.client(user: 1000, group: session))
    #expect(shell.identity == ClientIdentity(userID: 1000))
    try folder.makeFolder("system.slice/b.service")
    let later = try Self.number(of: folder.path + "/system.slice/b.service")
    #expect(tree.client(user: 1000, group: later)?.identity.systemUnit == "b.service")
  }

  @Test func `a client in a container without a unit is identified, but is no login`() throws {
    let folder = try ScratchFolder()
    try folder.write("cgroup.controllers", "")
    try folder.makeFolder("docker/12ab")
    try folder.write("proc/1/cgroup", "0::/init.scope\n")
    let tree = ControlGroupTree(root: folder.path, processFolder: folder.path + "/proc")
    let group = try Self.number(of: folder.path + "/docker/12ab")
    let client = try #require(tree.client(user: 0, group: group)).identity
    #expect(client.userID == 0 && client.systemUnit == nil && !client.isLogin)
  }

  @Test func `a client of an unknown group is not identified`() throws {
    let folder = try ScratchFolder()
    try folder.write("cgroup.controllers", "")
    let tree = ControlGroupTree(root: folder.path)
    #expect(tree.client(user: 1000, group: .max) == nil)
    #expect(tree.client(user: 1000, group: nil) == nil)
  }

  @Test func `the clients of a user in unknown groups do not keep the daemon reading all groups`() throws {
    let folder = try ScratchFolder()
    try folder.write("cgroup.controllers", "")
    let tree = ControlGroupTree(root: folder.path, now: { .at(0) })
    for _ in 0..<100 { #expect(tree.client(user: 1000, group: .max) == nil) }
    try folder.makeFolder("system.slice/a.service")
    let group = try Self.number(of: folder.path + "/system.slice/a.service")
    // The user has used up its reads; another user has not.
    #expect(tree.client(user: 1000, group: group) == nil)
    #expect(tree.client(user: 1001, group: group)?.identity.systemUnit == "a.service")
    #expect(tree.client(user: 1000, group: group)?.identity.systemUnit == "a.service")
  }

  @Test func `the groups of a user do not displace units and the sessions of other users`() throws {
    let folder = try ScratchFolder()
    try folder.write("cgroup.controllers", "")
    for number in 0..<50 {
      try folder.makeFolder("user.slice/user-1.slice/user@1.service/app.slice/\(number)/deep")
      try folder.makeFolder("system.slice/a.service/\(number)/deep")
    }
    let units = ["system.slice/b.service", "system.slice/z.slice/c.service"]
    for unit in units { try folder.makeFolder(unit) }
    try folder.makeFolder("user.slice/user-2.slice/session-1.scope")
    let tree = ControlGroupTree(root: folder.path, maxFolders: 120)
    for unit in units {
      let group = try Self.number(of: "\(folder.path)/\(unit)")
      #expect(tree.client(user: 1, group: group)?.identity.systemUnit != nil, "\(unit)")
    }
    let session = try Self.number(of: folder.path + "/user.slice/user-2.slice/session-1.scope")
    #expect(tree.client(user: 2, group: session)?.identity == ClientIdentity(userID: 2))
  }

  @Test func `without a unified hierarchy, units are unknown if systemd has its own hierarchy`() throws {
    let folder = try ScratchFolder()
    try folder.write("proc/1/cgroup", "1:name=systemd:/init.scope\n0::/\n")
    let processFolder = folder.path + "/proc"
    let tree = ControlGroupTree(root: folder.path + "/none", processFolder: processFolder)
    #expect(tree.client(user: 1000, group: 1) == nil)
    try folder.write("proc/1/cgroup", "0::/\n")
    #expect(tree.client(user: 1000, group: 1)?.identity == ClientIdentity(userID: 1000))
    #expect(tree.client(user: 1000, group: 7) == nil)
  }
}
