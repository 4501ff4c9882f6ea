// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Testing

/// The configuration warnings of `check-config`.
@Suite(.timeLimit(.minutes(1)))
struct BoardWarningTests {
  /// A board with four sinks: one in an unwritable directory, one in the state directory, and two
  /// in directories that another user or group may write to.
  private static func board() throws -> ScratchFolder {
    let folder = try ScratchFolder()
    for name in ["closed", "state", "run"] { try folder.makeFolder(name) }
    for (name, user, group, mode) in [("user", 33, 0, 0o755), ("group", 0, 33, 0o775)] {
      try folder.makeFolder(name)
      #expect(chown("\(folder.path)/\(name)", uid_t(user), gid_t(group)) == 0)
      #expect(chmod("\(folder.path)/\(name)", mode_t(mode)) == 0)
    }
    try folder.write(
      "c.toml",
      "[daemon]\nstate_directory = \"\(folder.path)/state\"\nsocket = \"\(folder.path)/run/s\"\n"
        + "[[sink]]\ntype = \"gpx\"\nname = \"a\"\nfile = \"\(folder.path)/closed/a.gpx\"\n"
        + "[[sink]]\ntype = \"gpx\"\nname = \"b\"\nfile = \"\(folder.path)/state/a.gpx\"\n"
        + "[[sink]]\ntype = \"gpx\"\nname = \"c\"\nfile = \"\(folder.path)/user/a.gpx\"\n"
        + "[[sink]]\ntype = \"gpx\"\nname = \"d\"\nfile = \"\(folder.path)/group/a.gpx\"\n"
        + "[[source]]\ntype = \"simulated\"\n[weather]\nenabled = false\n")
    for name in ["", "/closed"] { #expect(chmod(folder.path + name, 0o755) == 0) }
    for name in ["/run", "/state"] { #expect(chmod(folder.path + name, 0o777) == 0) }
    return folder
  }

  /// Runs the program as an unprivileged user for the duration of the body.
  static func useUnprivileged<Value>(
    _ words: String..., body: (ChildProcess) async throws -> Value
  ) async throws -> Value {
    let drop = ["--reuid=65534", "--regid=65534", "--clear-groups", Program.path]
    return try await ChildProcess.use(path: "/usr/bin/setpriv", arguments: drop + words, body)
  }

  /// Returns the names of the sinks in the warnings.
  private static func sinkNames(_ lines: [String]) -> [String] {
    lines.compactMap { line in ["a", "b", "c", "d"].first { line.contains("sink.\($0).file: /") } }
  }

  static let canDropPrivileges = geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0

  @Test(.enabled(if: canDropPrivileges, "needs root and setpriv"))
  func `check-config warns of an unwritable directory unless the service's user may write to it`() async throws {
    let folder = try Self.board()
    let file = folder.path + "/c.toml"
    let (lines, code) = try await Self.useUnprivileged("check-config", file) { process in
      let status = await process.wait()
      return (process.lines.events, status >> 8 & 0xFF)
    }
    #expect(code == 0, "\(lines)")
    let warnings = lines.filter { $0.hasPrefix("warning: ") }
    #expect(Self.sinkNames(warnings) == ["a"], "\(lines)")
    #expect(lines.contains("no errors, 1 warning"))
    let text =
      "c.toml:7: sink.a.file: \(folder.path)/closed is not writable for this user (uid 65534)"
    #expect(warnings.first?.contains(text) == true, "\(warnings)")
  }

  @Test(arguments: ["mqtt", "fleet"])
  func `check-config and the start warn of positions that are sent unencrypted`(type: String) async throws {
    let board = try DaemonFixture()
    let outbox = board.path + "/outbox.sqlite"
    func sink(_ scheme: String) -> String {
      DaemonFixture.source("type = \"simulated\"")
        + """
        [[sink]]
        type = "\(type)"
        broker = "\(scheme)://192.0.2.1"
        board = "van"
        outbox = "\(outbox)"

        """
    }
    try board.configure(sink("mqtt"))
    let text = "positions are sent unencrypted; use mqtts://, or a broker on this board"
    let checked = try await board.run("check-config", board.configuration)
    #expect(checked.code == 0)
    #expect(checked.lines.contains { $0.contains("sink.\(type).broker: \(text)") }, "\(checked.lines)")
    try await board.use { daemon in
      await DaemonFixture.wait(for: "mqtt://192.0.2.1:1883: \(text)", daemon)
    }
    try board.configure(sink("mqtts"))
    let encrypted = try await board.run("check-config", board.configuration)
    #expect(!encrypted.lines.contains { $0.contains("unencrypted") }, "\(encrypted.lines)")
  }

  @Test func `check-config warns of a file that is ignored because of its name, as text and as JSON`() async throws {
    let board = try DaemonFixture()
    let root = board.path + "/root/etc/fixcast"
    try board.folder.write("root/etc/fixcast/config.toml", board.head + DaemonFixture.source("type = \"simulated\""))
    try board.folder.write("root/etc/fixcast/conf.d/10.conf", "")
    let warning = { (name: String) in
      "\(root)/conf.d/\(name): is ignored: its name does not end in .toml"
    }
    try board.folder.write("root/etc/fixcast/conf.d/receiver", "")
    let (lines, code) = try await board.run("check-config")
    #expect(code == 0)
    #expect(
      lines.prefix(3) == [
        "warning: " + warning("10.conf"), "warning: " + warning("receiver"),
        "no errors, 2 warnings",
      ])
    let (objects, _) = try await board.run("check-config", "--json")
    #expect(
      objects.first
        == #"{"class":"WARNING","message":"is ignored: its name does not end in .toml","#
        + #""source":"\#(root)/conf.d/10.conf"}"#)
  }
}
