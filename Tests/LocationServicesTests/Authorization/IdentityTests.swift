// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

@testable import LocationServices

@Suite("Client identity")
struct IdentityTests {
  @Test(
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
  func `only a system unit is accepted as the unit of a client`(lines: String, unit: String?) {
    #expect(ControlGroups.systemUnit(in: Array(lines.utf8)) == unit)
  }

  @Test(
    arguments: [
      ("/", .outside), ("/user.slice/user-0.slice/session-1.scope", .outside),
      ("/user.slice", .outside), ("/system.slice/ssh.service", .unit("ssh.service")),
      // Container programs that do not use systemd.
      ("/docker/12ab", .other(path: "/docker/12ab")),
      ("/lxc.payload.web", .other(path: "/lxc.payload.web")),
      ("/kubepods/besteffort/pod1/12ab", .other(path: "/kubepods/besteffort/pod1/12ab")),
      ("/user.slicex/a", .other(path: "/user.slicex/a")),
      ("/system.slice", .other(path: "/system.slice")),
    ] as [(String, ControlGroups.Membership)])
  func `only a login session and the root group are outside of units and of other groups`(
    path: String, membership: ControlGroups.Membership
  ) {
    #expect(ControlGroups.membership(in: Array("0::\(path)\n".utf8)) == membership)
    #expect(ControlGroups.membership(ofPath: path) == membership)
  }

  @Test func `a container without a unit is no login, unless it is the daemon's own`() {
    let container = ControlGroups.Membership.other(path: "/docker/12ab")
    let client = ControlGroups.identity(user: 0, container) { .unit("init.scope") }
    #expect(client?.isLogin == false && client?.systemUnit == nil)
    #expect(ControlGroups.identity(user: 0, container) { container }?.isLogin == true)
    #expect(ControlGroups.identity(user: 0, .unclear) { container } == nil)
  }

  @Test(
    arguments: [
      (nil, true), ("ssh.service", true), ("ssh@1-10.0.0.2:22-10.0.0.3:5000.service", true),
      ("getty@tty1.service", true), ("serial-getty@ttyS0.service", true),
      ("init.scope", false), ("weather.service", false), ("docker-12ab.scope", false),
      ("ssh.scope", false), ("dropbear.service", false), ("sshx.service", false),
      ("my-ssh.service", false),
      ("cron.service", false), ("ssh.service.scope", false),
    ] as [(String?, Bool)])
  func `a login session and the units that log users in are logins, other units are not`(unit: String?, isLogin: Bool) {
    #expect(ClientIdentity(userID: 0, systemUnit: unit).isLogin == isLogin)
  }

  @Test func `a control group path that is not valid UTF-8 is not a unit`() {
    #expect(ControlGroups.systemUnit(in: Array("0::/\u{0}".utf8) + [0xFF, 0xFE]) == nil)
  }

  private static let users: [String: UInt32] = ["pi": 1001, "1000": 1002, "1003": 1003]

  @Test(
    arguments: [
      (["pi"], 1001, nil), (["user=pi"], 1001, nil), (["77"], 77, nil), (["1003"], 1003, nil),
      (["pi", "unit=map.service"], 1001, "map.service"), (["uid=1000"], 1000, nil),
      (["user=1000"], 1002, nil), (["everyone"], nil, nil),
    ] as [([String], UInt32?, String?)])
  func `on a command line, a user's name stands for user= and a number for uid=`(
    words: [String], user: UInt32?, unit: String?
  ) throws {
    let selector = try ClientSelector(words: words) { Self.users[$0] }
    #expect(selector == ClientSelector(userID: user, systemUnit: unit))
  }

  @Test(arguments: [
    (
      "bob",
      "there is no user named 'bob'; use a user's name, uid=, unit=NAME.service or everyone"
    ),
    ("1000", "'1000' is both a user ID and the name of uid 1002; use uid=1000 or user=1000"),
    ("4294967295", "uid='4294967295' is not a user ID"),
    ("everyon", "'everyon' is not known here; did you mean everyone?"),
    ("users", "'users' is not known here; did you mean user=?"),
    (
      "map.service",
      "there is no user named 'map.service'; use a user's name, uid=, "
        + "unit=NAME.service or everyone"
    ),
    (
      "a\u{1B}b",
      "there is no user named 'a?b'; use a user's name, uid=, unit=NAME.service or "
        + "everyone"
    ),
  ])
  func `a word of a command line that is no user, or could be two users, is rejected in one line`(
    word: String, message: String
  ) {
    #expect(throws: PolicySyntaxError(message)) {
      try ClientSelector(words: [word]) { Self.users[$0] }
    }
  }

  @Test func `a selector is shown with the user's name if the name is one plain word of a shell`() {
    let selector = ClientSelector(userID: 7, systemUnit: "a.service")
    #expect(selector.words { _ in "pi" } == ["user=pi", "unit=a.service"])
    for name in [nil, "", "a b", "a;b", "DOMAIN\\pi", "everyone", "a\u{1B}"] {
      #expect(selector.words { _ in name } == ["uid=7", "unit=a.service"])
    }
    #expect(ClientSelector.everyone.words { _ in "pi" } == ["everyone"])
    let paths = PolicyPaths(root: "/image")
    #expect(paths.text(ClientSelector(userID: 0)) == "uid=0")
    #expect(PolicyPaths().text(ClientSelector(userID: 0)) == "user=root")
  }

  @Test func `a selector matches a client only if every part of the selector matches`() {
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

  @Test func `a unit is more specific than a user, and a user is more specific than everyone`() {
    let ordered = [
      ClientSelector.everyone, ClientSelector(userID: 1), ClientSelector(systemUnit: "a.service"),
      ClientSelector(userID: 1, systemUnit: "a.service"),
    ]
    #expect(zip(ordered, ordered.dropFirst()).allSatisfy { $0.specificity < $1.specificity })
  }

  @Test func `a request is filed under the user and the unit of its client`() {
    let client = ClientIdentity(userID: 7, systemUnit: "a.service")
    #expect(client.evidence == ClientSelector(userID: 7, systemUnit: "a.service"))
    #expect("\(client)" == "uid=7 unit=a.service")
    #expect("\(ClientSelector.everyone)" == "everyone")
  }

  @Test func `this process, and a peer process that the kernel reported, are identified`() throws {
    let reader = ProcessEvidence()
    #expect(reader.ownIdentity().userID == geteuid())
    let peer = reader.peer(process: getpid(), user: geteuid(), descriptor: nil)
    #expect(peer?.identity == reader.ownIdentity())
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
  func `a peer is identified only if its process and unit are certain`(
    stat: String?, groups: String?, user: String, isCertain: Bool
  ) throws {
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

  @Test func `a process name with parentheses is parsed`() throws {
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
