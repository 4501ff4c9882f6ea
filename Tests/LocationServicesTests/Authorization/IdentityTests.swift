// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

@testable import LocationServices

@Suite("Client identity")
struct IdentityTests {
  @Test(
    "only the names of system units are accepted as evidence",
    arguments: [
      ("0::/system.slice/weather.service\n", "weather.service"),
      ("0::/system.slice/system-getty.slice/getty@tty1.service\n", "getty@tty1.service"),
      ("0::/weather.slice/weather.service/worker/3\n", "weather.service"),
      ("0::/system.slice/docker-12ab.scope\n", "docker-12ab.scope"),
      ("0::/system.slice/_notify.service\n", "notify.service"),
      (#"0::/system.slice/dev-\x2d.service"#, #"dev-\x2d.service"#),
      // Besides control groups version 1, systemd has a hierarchy of its own, which applies.
      ("12:pids:/x.service\n1:name=systemd:/system.slice/a.service\n0::/\n", "a.service"),
      // A hierarchy with the name `systemd` that systemd does not use.
      ("9:name=systemd:/\n0::/system.slice/a.service\n", "a.service"),
      ("9:name=systemd:/\n0::/\n", nil), ("9:name=systemd:/\n", nil),
      (
        "9:name=systemd:/user.slice/user-7.slice/session-1.scope\n0::/system.slice/a.service\n", nil
      ),
      ("9:name=systemd:/\n0::/user.slice/user-7.slice/session-1.scope\n", nil),
      // Users choose the names of user units and of slices below user.slice.
      ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/weather.service\n", nil),
      ("0::/user.slice/user-1000.slice/session-3.scope\n", nil),
      ("0::/user.slice/system.slice/weather.service\n", nil),
      ("0::/system.slice/user@1000.service/weather.service\n", nil),
      // The lines are malformed or ambiguous.
      ("0::/../weather.service\n", nil), ("0::/\n", nil), ("0::/system.slice\n", nil),
      ("0::/init.scope", "init.scope"), ("0::weather.service", nil),
      ("1:name=systemd:/a.service\n1:name=systemd:/b.service\n", nil),
      ("0::/system.slice/a b.service\n", nil), ("0::/system.slice/.service\n", nil),
      ("0::/system.slice//weather.service\n", nil), ("", nil), ("\n\n:::", nil),
      ("5:cpu:/system.slice/weather.service\n", nil),
    ] as [(String, String?)])
  func systemUnits(lines: String, unit: String?) {
    #expect(ControlGroups.systemUnit(in: Array(lines.utf8)) == unit)
  }

  @Test("a control group path that is not valid UTF-8 is not a unit")
  func notText() {
    #expect(ControlGroups.systemUnit(in: Array("0::/\u{0}".utf8) + [0xFF, 0xFE]) == nil)
  }

  @Test("every part of a selector must match the client")
  func matching() {
    let client = ClientIdentity(userID: 1000, systemUnit: "weather.service")
    let matching = [
      ClientSelector.everyone, ClientSelector(userID: 1000),
      ClientSelector(systemUnit: "weather.service"),
      ClientSelector(userID: 1000, systemUnit: "weather.service"),
    ]
    #expect(matching.allSatisfy { $0.matches(client) })
    let other = [
      ClientSelector(userID: 0), ClientSelector(systemUnit: "weather"),
      ClientSelector(userID: 1000, systemUnit: "other.service"),
      ClientSelector(userID: 1001, systemUnit: "weather.service"),
    ]
    #expect(other.allSatisfy { !$0.matches(client) })
    #expect(!ClientSelector(systemUnit: "a.service").matches(ClientIdentity(userID: 1000)))
  }

  @Test("a unit is more specific than a user, and a user is more specific than everyone")
  func specificity() {
    let ordered = [
      ClientSelector.everyone, ClientSelector(userID: 1), ClientSelector(systemUnit: "a.service"),
      ClientSelector(userID: 1, systemUnit: "a.service"),
    ]
    #expect(zip(ordered, ordered.dropFirst()).allSatisfy { $0.specificity < $1.specificity })
  }

  @Test("a request is filed under the user and the unit")
  func evidence() {
    let client = ClientIdentity(userID: 7, systemUnit: "a.service")
    #expect(client.evidence == ClientSelector(userID: 7, systemUnit: "a.service"))
    #expect("\(client)" == "uid=7 unit=a.service")
    #expect("\(ClientSelector.everyone)" == "everyone")
  }

  @Test("this process, and a peer process that the kernel reported, are identified")
  func ownAndPeer() throws {
    let reader = ProcessEvidence()
    #expect(reader.ownIdentity().userID == geteuid())
    let named = reader.peer(process: getpid(), user: geteuid(), descriptor: nil)
    #expect(named?.identity == reader.ownIdentity())
    #expect(reader.peer(process: -1, user: geteuid(), descriptor: nil) == nil)
    let token = try #require(reader.token(of: getpid()))
    #expect(reader.isAlive(token))
    var other = token
    other.startTicks += 1
    #expect(!reader.isAlive(other))
    other = token
    other.boot = "another"
    #expect(!reader.isAlive(other))
  }

  private static let stat = "77 (a) S 1 77 77 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4242 1 1\n"
  private static let zombie = stat.replacing(" S ", with: " Z ")
  private static let ending = stat.replacing(" 4194560 ", with: " 4194564 ")
  private static let groups = "0::/system.slice/a.service\n"

  @Test(
    "a peer is identified only if its process and unit are certain",
    arguments: [
      (stat, groups, "1000", true),
      (stat, "0::/user.slice/user-1000.slice/a.scope\n", "1000", true),
      (stat, "0::/\n", "1000", true), (stat, "", "1000", true), (stat, nil, "1000", true),
      (nil, groups, "1000", false), (zombie, groups, "1000", false),
      (ending, groups, "1000", false), (stat, groups, "0", false),
      (stat, "0::/../a.service\n", "1000", false),
      (stat, "0::/system.slice/a.service (deleted)\n", "1000", false),
      (stat, "0::/a.service\n0::/b.service\n", "1000", false),
    ] as [(String?, String?, String, Bool)])
  func certainty(stat: String?, groups: String?, user: String, isCertain: Bool) throws {
    let folder = try ScratchFolder()
    if let stat { try folder.write("77/stat", stat) }
    if let groups { try folder.write("77/cgroup", groups) }
    try folder.write("77/status", "Name:\ta\nUid:\t0\t\(user)\t0\t0\n")
    let reader = ProcessEvidence(folder: folder.path)
    let peer = reader.peer(process: 77, user: 1000, descriptor: nil)
    #expect((peer != nil) == isCertain)
    if isCertain {
      #expect(peer?.identity.systemUnit == (groups == Self.groups ? "a.service" : nil))
    }
    // A negative descriptor means that the process has ended.
    #expect(reader.peer(process: 77, user: 1000, descriptor: -1) == nil)
  }

  @Test("a process name with parentheses is parsed")
  func readsFolder() throws {
    let folder = try ScratchFolder()
    try folder.write(
      "77/stat", "77 (a) b) S 1 77 77 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4242 1 1\n")
    try folder.write("self/cgroup", "0::/system.slice/a.service\n")
    try folder.write("sys/kernel/random/boot_id", "abc-def\n")
    let reader = ProcessEvidence(folder: folder.path)
    #expect(reader.token(of: 77) == ProcessToken(process: 77, startTicks: 4242, boot: "abc-def"))
    #expect(reader.token(of: 78) == nil)
    #expect(reader.ownIdentity().systemUnit == "a.service")
  }
}
