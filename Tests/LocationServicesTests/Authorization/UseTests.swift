// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

@testable import LocationServices

@Suite("Whether a program is in use", .timeLimit(.minutes(5)))
struct UseTests {
  @Test(
    "follows from its user's login, its unit and its terminal",
    arguments: [
      (false, true, false, true), (false, false, false, false), (false, nil, false, true),
      (false, false, true, true), (true, true, false, false), (true, nil, false, false),
      (true, false, true, true),
    ] as [(Bool, Bool?, Bool, Bool)])
  func evidence(isUnit: Bool, isLoggedIn: Bool?, isForeground: Bool, isInUse: Bool) {
    let evidence = UseEvidence(
      isSystemUnit: isUnit, isOwnerLoggedIn: isLoggedIn, isForeground: isForeground)
    #expect(evidence.isInUse == isInUse)
  }

  @Test(
    "a user is logged in whose state is active, as systemd-logind writes it",
    arguments: [
      ("# This is private data. Do not parse.\nNAME=pi\nSTATE=active\nSESSIONS=1 3\n", true),
      ("NAME=pi\nSTATE=lingering\n", false), ("NAME=pi\nSTATE=closing\nSESSIONS=1\n", false),
      ("NAME=STATE=active\n", false), ("", false),
    ])
  func states(text: String, isActive: Bool) throws {
    let folder = try ScratchFolder()
    let logins = LoginSessions(root: folder.path)
    #expect(logins.isActive(1000) == nil)
    try folder.makeFolder("run/systemd/users")
    // Made by a package: nobody keeps it.
    #expect(logins.isActive(1000) == nil)
    try folder.makeFolder("run/systemd/system")
    #expect(logins.isActive(1000) == false)
    try folder.write("run/systemd/users/1000", text)
    #expect(logins.isActive(1000) == isActive)
    #expect(logins.isActive(100) == false)
  }

  @Test(
    "a program is in the foreground whose group its terminal has there",
    arguments: [
      ("9 (a) b) (c) S 1 77 77 34816 77 4194560 1", true),
      ("9 (sh) S 1 77 77 34816 78 4194560 1", false), ("9 (sh) S 1 77 77 0 -1 4194560 1", false),
      ("9 (sh) S 1 0 0 0 0 4194560 1", false), ("9 (sh) S 1", false), ("", false),
    ])
  func foreground(stat: String, isForeground: Bool) throws {
    let folder = try ScratchFolder()
    try folder.write("9/stat", stat)
    let evidence = ProcessEvidence(folder: folder.path)
    #expect(evidence.isForeground(9) == isForeground)
    #expect(!evidence.isForeground(10))
  }

  @Test("the kernel tells at once of a login and a logout, though nobody looks for an hour")
  func told() async throws {
    let folder = try ScratchFolder()
    try folder.makeFolder("run/systemd/system")
    try folder.makeFolder("run/systemd/users")
    var places = PolicyPlaces(root: folder.path)
    places.processFolder = folder.path
    let policy = PolicyFiles(
      client: ClientIdentity(userID: 1000), places: places, interval: .seconds(3600),
      report: { _ in })
    #expect(!policy.isInUse)
    var updates = policy.updates().makeAsyncIterator()
    try folder.write("run/systemd/users/1000", "STATE=active\n")
    #expect(await updates.next() == .inUse(true))
    #expect(policy.isInUse)
    // As systemd-logind does it.
    try folder.write("run/systemd/users/.#1000x", "STATE=lingering\n")
    let name = folder.path + "/run/systemd/users/"
    #expect(rename(name + ".#1000x", name + "1000") == 0)
    #expect(await updates.next() == .inUse(false))
    try folder.write("run/systemd/users/1000", "STATE=active\n")
    #expect(await updates.next() == .inUse(true))
    try folder.remove("run/systemd/users/1000")
    #expect(await updates.next() == .inUse(false))
  }

  @Test("a service is in use by no login of its user")
  func service() async throws {
    let folder = try ScratchFolder()
    try folder.makeFolder("run/systemd/system")
    try folder.write("run/systemd/users/1000", "STATE=active\n")
    let bench = PolicyBench(folder, unit: "a.service")
    #expect(!bench.policy.isInUse)
    var updates = bench.policy.updates().makeAsyncIterator()
    await bench.look()
    _ = try bench.places.store.update { $0.record(.of(.whenInUse)) }
    await bench.look(2)
    // Nothing before it.
    #expect(await updates.next() == .decided(.inUse))
  }
}
