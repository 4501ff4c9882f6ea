// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import LocationServices
import SystemSupport
import Testing

/// The commands of `fixcast auth`, run as an operator does.
@Suite(.timeLimit(.minutes(5))) struct AuthCommandTests {
  @Test func `an answer with duration and reason can be given, listed, explained, reset and logged`() async throws {
    let board = try AuthFixture()
    let hint = try #require(try await board.auth("list").lines.first)
    #expect(hint.hasPrefix("no answers and no rules: a program's request waits"))
    // AuthOverTheShellTests runs locate without an answer.
    #expect(hint.hasSuffix("the commands of the user who owns the answers need none"))
    let allowed = try await board.auth("allow", "uid=4242", "--for", "2h", "--reduced", "--reason", "the map")
    #expect(allowed.code == 0)
    #expect(allowed.lines.first == "uid=4242 may know where the board is while in use, to about 5 km, for 2h")
    let explained = try await board.auth("explain", "uid=4242")
    #expect(explained.lines.contains { $0.hasSuffix("answer 1: allow uid=4242 --reduced") })
    #expect(explained.lines.contains { $0.contains("authorizedWhenInUse, to about 5 km, ") })
    #expect(explained.lines.contains { $0.hasPrefix("mode") && $0.contains("cooperative") })
    let list = try await board.auth("list", "--json").lines
    #expect(list.first == #"{"class":"AUTHMODE","mode":"cooperative","switchedOff":false}"#)
    #expect(list.last?.contains(#""client":"uid=4242","level":"whenInUse","accuracy":"reduced","once":false,"#) == true)
    #expect(try await board.auth("reset", "uid=4242").lines == ["removed the answer for uid=4242"])
    #expect(
      try await board.auth("explain", "uid=4242", "--json").lines.first?.contains(#""status":"notDetermined""#) == true)
    let log = try board.read("\(board.root)/var/lib/fixcast/audit.jsonl")
    #expect(log.contains(#""event":"decided","client":"uid=4242""#))
    #expect(log.contains(#""reason":"the map""#))
    #expect(log.contains(#""event":"reset""#))
    // The log names the environment variable that replaces the board's files.
    let override = #""override":"FIXCAST_ROOT=\#(board.root)""#
    #expect(log.split(separator: "\n").allSatisfy { $0.contains(override) })
  }

  @Test func `paths from command line options are not logged as overrides by the environment`() async throws {
    let board = try AuthFixture()
    let words = ["auth", "allow", "uid=4242", "--root", board.root]
    let status = try await ChildProcess.use(path: Program.path, arguments: words) {
      await $0.wait()
    }
    #expect(status == 0)
    let log = try board.read("\(board.root)/var/lib/fixcast/audit.jsonl")
    #expect(log.contains(#""client":"uid=4242""#) && !log.contains("override"))
  }

  @Test func `a lock in /etc overrides every answer and is reported with file and line`() async throws {
    let board = try AuthFixture(policy: "# the board's rules\nlock uid=4242\nallow everyone\n")
    let refused = try await board.auth("allow", "uid=4242")
    #expect(refused.code == 77)
    let rule = "\(board.policyFile):2: lock uid=4242"
    #expect(refused.lines.last?.contains("is locked by \(rule)") == true, "\(refused.lines)")
    let explained = try await board.auth("explain", "uid=4242", "--json")
    #expect(explained.code == 0)
    let object = try #require(explained.lines.first)
    #expect(object.contains(#""status":"restricted""#))
    #expect(object.contains(#""file":"\#(board.policyFile)","line":2"#), "\(object)")
    let other = try await board.auth("explain", "uid=4243")
    #expect(other.lines.contains { $0.hasSuffix("\(board.policyFile):3: allow everyone") })
  }

  @Test func `'deny everyone' and 'reset everyone' switch location off and on, and keep all answers`() async throws {
    let board = try AuthFixture()
    _ = try await board.auth("allow", "uid=4242", "--always")
    #expect(try await board.auth("deny", "everyone").code == 0)
    let off = try await board.auth("explain", "uid=4242")
    #expect(off.lines.contains { $0.hasPrefix("status") && $0.hasSuffix("denied") })
    #expect(off.lines.contains { $0.contains("fixcast auth reset everyone --root \(board.root)") })
    #expect(try await board.auth("reset", "everyone").code == 0)
    let on = try await board.auth("explain", "uid=4242", "--always")
    #expect(on.lines.contains { $0.hasSuffix("authorizedAlways") })
    #expect(try await board.auth("deny", "uid=4242", "--always").code == 0)
    let narrowed = try await board.auth("explain", "uid=4242", "--always")
    #expect(narrowed.lines.contains { $0.hasSuffix("authorizedWhenInUse") })
  }

  @Test func `auth list exits with 78 if a rule file is invalid, instead of printing 'no rules'`() async throws {
    let board = try AuthFixture(policy: "alow everyone\n")
    let result = try await board.auth("list")
    #expect(result.code == 78)
    #expect(!result.lines.contains { $0.contains("no rules") }, "\(result.lines)")
  }

  @Test func `auth rejects a root that is not a directory before it creates anything`() async throws {
    let board = try AuthFixture()
    for (root, isFile) in [("\(board.root)/none", false), (board.policyFile, true)] {
      for words in [["allow", "uid=1"], ["deny", "everyone"], ["reset", "uid=1"], ["list"]] {
        let result = try await board.run(["auth"] + words + ["--root", root])
        #expect(result.code == 66, "\(words): \(result.lines)")
        #expect(result.lines.last?.contains(root) == true, "\(result.lines)")
      }
      #expect((access(root, F_OK) == 0) == isFile)
    }
  }

  @Test func `with unreadable answers, auth exits with 78 and prints that they grant nothing`() async throws {
    let board = try AuthFixture()
    for words in [["list"], ["pending"], ["explain", "uid=1"]] {
      let result = try await board.run(["auth"] + words + ["--state-directory", board.policyFile])
      #expect(result.code == 78, "\(words): \(result.lines)")
      #expect(result.lines.last?.hasSuffix("unreadable answers grant nothing") == true, "\(result.lines)")
    }
  }

  @Test func `a denied run of locate is logged with the denying answer and the stated purpose`() async throws {
    let board = try AuthFixture()
    let log = "\(board.root)/var/lib/fixcast/uses.jsonl"
    for words in [["deny", board.me], ["deny", "everyone"]] {
      _ = try await board.run(["auth"] + words)
      #expect(try await board.run(["locate", "--source", board.source]).code == 77)
      let line = try #require(try board.read(log).split(separator: "\n").last)
      #expect(line.contains(#""event":"denied","client":"uid="#), "\(line)")
      #expect(line.contains(#""requested":"whenInUse","status":"denied","by":""#), "\(line)")
      #expect(line.contains(#""reason":"fixcast locate""#), "\(line)")
      _ = try await board.auth("reset", "everyone")
    }
  }

  @Test func `an expired answer is listed and explained, and can be reset`() async throws {
    let board = try AuthFixture()
    _ = try await board.auth("allow", "uid=4242", "--for", "1s")
    let store = DecisionStore(folder: "\(board.root)/var/lib/fixcast")
    try store.update { $0.prune(at: BootTimestamp.now().advanced(bySeconds: 2)) }
    let list = try await board.auth("list").lines
    let reset = "fixcast auth reset uid=4242 --root \(board.root)"
    #expect(list.contains { $0.hasPrefix("expired") && $0.contains("uid=4242") && $0.hasSuffix(reset) }, "\(list)")
    #expect(try await board.auth("list", "--json").lines.contains(#"{"class":"AUTHENDED","client":"uid=4242"}"#))
    let explained = try await board.auth("explain", "uid=4242").lines
    #expect(
      explained.contains {
        $0.hasPrefix("expired")
          && $0.hasSuffix("the answer for uid=4242 has expired: the next request needs a new one")
      }, "\(explained)")
    #expect(try await board.auth("reset", "uid=4242").lines.last?.hasPrefix("removed") == true)
    #expect(try await board.auth("list").lines.allSatisfy { !$0.hasPrefix("expired") })
  }

  @Test func `a request of a program that has ended is not listed as waiting`() async throws {
    let board = try AuthFixture()
    try board.write(
      "var/lib/fixcast/decisions.json",
      """
      {"version":1,"nextID":2,"isSwitchedOff":false,"decisions":[],"pending":[{"id":1,
      "selector":{"userID":4242},"request":"whenInUse","purpose":"p","processes":[
      {"process":1,"startTicks":1,"boot":"another"}],
      "created":{"utcSeconds":1,"bootSeconds":1,"boot":"another"}}]}
      """)
    let list = try await board.auth("list").lines
    #expect(list.allSatisfy { !$0.hasPrefix("waiting") }, "\(list)")
    #expect(try await board.auth("pending").lines == ["no requests are waiting"])
  }

  @Test func `auth reset without a matching answer prints a similar one and the command that resets it`() async throws {
    let board = try AuthFixture()
    let noAnswer = try await board.auth("reset", "uid=4242").lines
    #expect(noAnswer == ["no answer for exactly uid=4242; list all with: " + "fixcast auth list --root \(board.root)"])
    _ = try await board.auth("allow", "uid=4242")
    let similar = try await board.auth("reset", "uid=4242", "unit=map.service").lines
    #expect(
      similar == [
        "no answer for exactly uid=4242 unit=map.service, but one for uid=4242; "
          + "remove that with: fixcast auth reset uid=4242 --root \(board.root)"
      ])
  }

  @Test(arguments: [
    ("allow unit=map.service", [], "authorizedWhenInUse"),
    ("allow unit=map.service", ["--always"], "authorizedAlways"),
    ("allow unit=map.service level=when-in-use", ["--always"], "authorizedWhenInUse"),
  ])
  func `auth explain shows a unit's status for the requested level under a rule`(
    rule: String, options: [String], status: String
  ) async throws {
    let board = try AuthFixture()
    try board.write("etc/fixcast/policy.d/units.conf", rule + "\n")
    let lines = try await board.run(["auth", "explain", "unit=map.service"] + options).lines
    #expect(lines.contains("status     \(status)"), "\(lines)")
  }

  @Test func `auth explain shows why a grant was limited to 'while in use'`() async throws {
    let board = try AuthFixture()
    _ = try await board.auth("allow", "uid=4242", "--always", "--reason", "the map")
    let denied = try await board.auth("deny", "uid=4242", "--always", "--reason", "by day only")
    #expect(denied.code == 0)
    let explained = try await board.auth("explain", "uid=4242")
    #expect(explained.lines.contains { $0.hasPrefix("given") && $0.hasSuffix(": by day only") }, "\(explained.lines)")
  }

  @Test func `auth explain without the argument WHO shows the access of the user's own commands`() async throws {
    let board = try AuthFixture()
    let own = try await board.auth("explain")
    #expect(
      own.lines.contains {
        $0.hasPrefix("commands") && $0.contains("'fixcast locate'")
          && $0.hasSuffix("need no answer")
      }, "\(own.lines)")
    let change = try #require(own.lines.first { $0.hasPrefix("change it") })
    #expect(change.contains("programs: fixcast auth allow \(board.me)"), "\(change)")
    #expect(change.contains("commands: fixcast auth deny \(board.me)"), "\(change)")
    #expect(try await board.run(["locate", "--source", board.source]).code == 0)
    _ = try await board.auth("deny", board.me)
    let denied = try await board.auth("explain")
    #expect(!denied.lines.contains { $0.hasPrefix("commands") }, "\(denied.lines)")
  }

  @Test func `auth takes a user's name or number without a key, and shows names as on a command line`() async throws {
    let folder = try ScratchFolder()
    // Below another root, names would be those of another system.
    let environment = ["FIXCAST_STATE_DIRECTORY": folder.path]
    func auth(_ words: String...) async throws -> [String] {
      try await ChildProcess.run(path: Program.path, arguments: ["auth"] + words, environment: environment).lines
    }
    #expect(try await auth("allow", "root").first == "user=root may know where the board is while in use")
    #expect(try await auth("list").first?.hasPrefix("answer 1  allow user=root ") == true)
    #expect(try await auth("list", "--json").contains { $0.contains(#""client":"uid=0","level""#) })
    let explained = try await auth("explain", "root")
    #expect(explained.contains("client     user=root"), "\(explained)")
    #expect(explained.contains { $0.hasPrefix("because") && $0.hasSuffix("allow user=root") })
    #expect(try await auth("reset", "0") == ["removed the answer for user=root"])
    #expect(try await auth("deny", "4242").first == "uid=4242 may not know where the board is")
    let image = try AuthFixture()
    #expect(try await image.auth("allow", "root").lines.first?.hasPrefix("uid=0 may know") == true)
  }

  @Test(
    arguments: [
      (["allow", "usr=pi"], 64, "'usr=' is not known here; did you mean user=?"),
      (["allow", "uid=1", "--for", "2"], 64, "--for 2: not a duration; use e.g. 90s"),
      (["allow", "uid=1", "--for", "999999999d"], 64, "999999999d: too long; at most 3650d"),
      (["allow", "everyone"], 64, "an answer is for one user or unit"),
      (["allow", "user=no-such-user"], 64, "there is no user named 'no-such-user'"),
      (["allow", "uid=1", "--full"], 64, "--full requires --for, such as --for 10m"),
      (["allow", "uid=1", "--full", "--for", "1h", "--always"], 64, "--full can be combined with --for and"),
      (["allow", "app=map"], 64, "app= is no longer supported; use user= or unit="),
      (["deny", "uid=1", "app=map"], 64, "app= is no longer supported; use user= or unit="),
      (["deny", "uid=1", "--full", "--for", "1h"], 64, "--full takes neither"),
      (["deny", "uid=1", "--always"], 64, "has no grant to limit"),
      (["deny", "uid=1", "--always", "--for", "nonsense"], 64, "--always and --for cannot be combined"),
      (["bogus"], 64, "'bogus' is not a subcommand of 'fixcast auth'"),
      (["list", "bogus"], 64, "'bogus' is not a subcommand of 'fixcast auth' (list, pending"),
      (["allow", "foo"], 64, "there is no user named 'foo'; use a user's name, uid="),
      (["allow", "everone"], 64, "'everone' is not known here; did you mean everyone?"),
      (["allow", "root", "daemon"], 64, "user= is given twice"),
      (["deny", "everyone", "--for", "2h"], 64, "takes neither --always nor --for"),
      (["explain", "99999999999"], 64, "uid='99999999999' is not a user ID"),
      (["explain", "everyone"], 64, "explain takes one client"),
      (["allow"], 64, "no selector; use everyone, uid=, user= or unit="),
      (["deny"], 64, "no selector; use everyone, uid=, user= or unit="),
      (["reset"], 64, "no selector; use everyone, uid=, user= or unit="),
    ] as [([String], Int32, String)])
  func `auth rejects a wrong argument with a hint`(words: [String], code: Int32, text: String) async throws {
    let board = try AuthFixture()
    let result = try await board.run(["auth"] + words)
    #expect(result.code == code)
    #expect(result.lines.contains { $0.contains(text) }, "\(result.lines)")
  }

  @Test(arguments: [
    ("{", "is damaged"), (#"{"version":9}"#, "version 9 was written by a later fixcast"),
  ])
  func `a damaged file of answers is reported and kept, and grants nothing`(text: String, message: String) async throws
  {
    let board = try AuthFixture(policy: "allow everyone\n")
    try board.write("var/lib/fixcast/decisions.json", text)
    for words in [["list"], ["pending"], ["allow", "uid=1"], ["reset", "uid=1"], ["explain"]] {
      let result = try await board.run(["auth"] + words)
      #expect(result.code == 78, "\(words)")
      #expect(result.lines.last?.contains("decisions.json: \(message)") == true, "\(result.lines)")
    }
    let located = try await board.run(["locate", "--source", board.source])
    #expect(located.code == 78)
    #expect(!located.lines.contains { $0.hasPrefix("position") })
    #expect(try board.read(board.storeFile) == text)
  }

  @Test(arguments: [true, false])
  func `an unreadable or invalid authorization policy grants nothing`(isFolder: Bool) async throws {
    let board = try AuthFixture(policy: "alow everyone\n")
    if isFolder {
      try FileManager.default.removeItem(atPath: board.policyFile)
      try FileManager.default.createDirectory(atPath: board.policyFile, withIntermediateDirectories: false)
    }
    let message = isFolder ? "10-board.conf: read: Is a directory" : ":1: 'alow' is not a rule"
    for words in [
      ["auth", "allow", "uid=1"], ["auth", "explain"], ["locate", "--source", board.source],
    ] {
      let result = try await board.run(words)
      #expect(result.code == 78, "\(words)")
      #expect(result.lines.last?.contains(message) == true, "\(result.lines)")
    }
    #expect(access(board.storeFile, F_OK) != 0)
  }
}
