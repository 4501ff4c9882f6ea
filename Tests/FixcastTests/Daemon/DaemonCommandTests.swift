// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import DaemonServer
import FixcastTesting
import Glibc
import LocationServices
import Positioning
import SystemSupport
import Testing

/// Commands with a running daemon, as root and as another user.
@Suite("Commands with a running daemon", .serialized) struct DaemonCommandTests {
  private static let latitude = "54.093468333"

  /// Runs a daemon's server with one position.
  ///
  /// A position is current for ten seconds after its arrival, which a stopped test process may exceed. So this
  /// one arrives in an hour.
  /// The parameters of the body are the environment and the paths.
  private func withServer(_ body: ([String: String], PolicyPaths) async throws -> Void) async throws {
    let folder = try ScratchFolder()
    try folder.makeFolder("root")
    for path in [folder.path, folder.path + "/root"] { chmod(path, 0o755) }
    let address = DaemonAddress(socketPath: folder.path + "/s")
    let places = PolicyPaths(root: folder.path + "/root")
    let server = SocketServer(
      SocketServer.Configuration(address: address, policyPaths: places), now: { .now() },
      status: { ServerStatus(forEverybody: Array(#"{"in":1}"#.utf8)) }, report: { _ in })
    let ready = EventRecorder<Bool>()
    let running = Task { try await server.run { ready.record(true) } }
    _ = await ready.wait(for: 1)
    let arrival = MonotonicTime.now().advanced(bySeconds: 3600)
    server.publish(.fix(.at(54.093468333, 10.824651667) { $0.receivedAt = arrival }))
    defer { running.cancel() }
    try await body(["FIXCAST_SOCKET": address.socketPath, "FIXCAST_ROOT": folder.path + "/root"], places)
  }

  /// Runs the program as another user.
  private func run(
    as user: UInt32, _ arguments: String..., environment: [String: String]
  ) async throws -> (lines: [String], code: Int32) {
    try await run(as: user, arguments, environment: environment)
  }

  private func run(
    as user: UInt32, _ arguments: [String], environment: [String: String]
  ) async throws -> (lines: [String], code: Int32) {
    let drop = ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", Program.path]
    return try await ChildProcess.run(path: "/usr/bin/setpriv", arguments: drop + arguments, environment: environment)
  }

  @Test func `status prints the authorization mode with and without a daemon`() async throws {
    let without = try await Program.run("status", "--json", environment: ["FIXCAST_SOCKET": "/nonexistent/s"])
    #expect(without.code == 69)
    #expect(without.lines.first == #"{"class":"STATUS","mode":"cooperative"}"#)
    try await withServer { environment, _ in
      let with = try await Program.run("status", environment: environment)
      #expect(with.code == 0)
      #expect(with.lines.contains { $0.hasPrefix("mode") && $0.contains("enforced:") })
      #expect(!with.lines.contains { $0.contains(Self.latitude) })
      let list = try await Program.run("auth", "list", environment: environment)
      #expect(list.lines.contains { $0.hasPrefix("mode: enforced:") }, "\(list.lines)")
    }
  }

  @Test(.needsRoot)
  func `auth explain and status agree on the access of root in a shell`() async throws {
    try await withServer { environment, places in
      let words = ["auth", "explain", "uid=0"]
      let status = try await Program.run("status", environment: environment)
      #expect(status.lines.contains { $0.hasSuffix("authorizedAlways, full accuracy") })
      let explained = try await run(as: 0, words, environment: environment)
      #expect(explained.lines.contains { $0.hasSuffix("authorizedAlways") }, "\(explained.lines)")
      #expect(explained.lines.contains { $0.hasSuffix("; root in a shell needs no answer") })
      // Without a daemon, root's programs need an operator's answer.
      var withoutDaemon = environment
      withoutDaemon["FIXCAST_SOCKET"] = "/nonexistent/s"
      let without = try await run(as: 0, words, environment: withoutDaemon)
      #expect(without.lines.contains { $0.hasSuffix("notDetermined") }, "\(without.lines)")
      _ = try places.store.update {
        $0.record(Decision(selector: ClientSelector(userID: 0), level: .denied, created: .now(), grantedBy: 0))
      }
      let denied = try await run(as: 0, words, environment: environment)
      #expect(denied.lines.contains { $0.hasSuffix("denied") }, "\(denied.lines)")
    }
  }

  @Test(.needsRoot)
  func `doctor names the access of its user, with the command that allows it`() async throws {
    let user: UInt32 = 65_534
    try await withServer { environment, places in
      let root = try await Program.run("doctor", environment: environment)
      let good = "ok    permission       this user may know the position, with full accuracy"
      #expect(root.lines.contains(good), "\(root.lines)")
      let undecided = try await run(as: user, "doctor", environment: environment)
      #expect(undecided.code == 69)
      let index = try #require(
        undecided.lines.firstIndex { $0.hasPrefix("BAD   permission       uid=65534 may not know") },
        "\(undecided.lines)")
      #expect(undecided.lines[index + 1].contains("-> sudo fixcast auth allow uid=65534 "), "\(undecided.lines)")
      _ = try places.store.update {
        $0.record(
          Decision(selector: ClientSelector(userID: user), level: .always, created: .now(), grantedBy: 0))
      }
      let allowed = try await run(as: user, "doctor", environment: environment)
      #expect(allowed.lines.contains(good), "\(allowed.lines)")
    }
  }

  @Test(.needsRoot)
  func `locate and watch give root a position, and another user only after an answer`() async throws {
    let otherUser: UInt32 = 65_534
    try await withServer { environment, places in
      let root = try await Program.run("locate", "--json", environment: environment)
      #expect(root.code == 0 && root.lines.contains { $0.contains(Self.latitude) })
      let undecided = try await run(as: otherUser, "locate", "--timeout", "5", environment: environment)
      #expect(undecided.code == 77)
      #expect(undecided.lines.contains { $0.contains("sudo fixcast auth allow uid=65534") })
      let watched = try await run(
        as: otherUser, "watch", "--json", "--no-weather", "--seconds", "1", environment: environment
      )
      #expect(watched.code == 77)
      for line in [watched.lines.first, watched.lines.last] {
        #expect(line?.contains("sudo fixcast auth allow uid=65534") == true, "\(watched.lines)")
      }
      for lines in [undecided.lines, watched.lines] {
        #expect(!lines.contains { $0.contains("54.09") || $0.contains("10.82") })
      }
      var decision = Decision(
        selector: ClientSelector(userID: otherUser), level: .always, created: .now(), grantedBy: 0)
      decision.isReduced = true
      _ = try places.store.update { [decision] in $0.record(decision) }
      let reduced = try await run(as: otherUser, "locate", "--json", environment: environment)
      #expect(reduced.code == 0)
      #expect(reduced.lines.contains { $0.contains(#""lat":54.075000000"#) }, "\(reduced.lines)")
      #expect(!reduced.lines.contains { $0.contains(#""age""#) }, "\(reduced.lines)")
      let words = try await run(as: otherUser, "locate", environment: environment)
      #expect(words.lines.contains { $0.hasPrefix("position  54.075000") }, "\(words.lines)")
      #expect(!words.lines.contains { $0.contains(" ago") }, "\(words.lines)")
    }
  }

  @Test(
    .needsRoot,
    arguments: [
      ["locate", "--json"], ["weather", "--json", "--weather-url", "http://127.0.0.1:9"],
    ])
  func `locate and weather print at once what to type, and continue as soon as it is typed`(words: [String])
    async throws
  {
    let user = 65_534
    try await withServer { environment, _ in
      let command = try ChildProcess(
        path: "/usr/bin/setpriv",
        arguments: ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", Program.path] + words
          + ["--timeout", "3600"], environment: environment)
      let lines = await command.lines.wait(for: 1)
      let hint = try #require(lines.first)
      #expect(hint.hasPrefix("no decision yet on whether uid=65534 may know where the board is; "))
      #expect(hint.hasSuffix("   (waiting, 3600 s at most)"), "\(hint)")
      let typed = try #require(
        hint.split(separator: "allow it with: sudo fixcast ").last?.split(separator: "   (").first)
      let answer = try await ChildProcess.run(
        path: Program.path, arguments: typed.split(separator: " ").map(String.init),
        environment: environment)
      #expect(answer.code == 0, "\(answer.lines)")
      let code = await command.wait() >> 8 & 0xFF
      #expect(code == (words[0] == "locate" ? 0 : 69), "\(command.lines.events)")
      #expect(command.lines.events.contains { $0.contains(Self.latitude) }, "\(command.lines.events)")
    }
  }

  @Test(.needsRoot)
  func `weather uses the daemon's position for an authorized user, and denies other users`() async throws {
    let otherUser: UInt32 = 65_534
    // No provider is running at this address, but the position is still printed.
    let words = ["weather", "--json", "--weather-url", "http://127.0.0.1:9", "--timeout"]
    try await withServer { environment, places in
      let undecided = try await run(as: otherUser, words + ["5"], environment: environment)
      #expect(undecided.code == 77)
      #expect(undecided.lines.contains { $0.contains("allow it with: sudo fixcast auth allow uid=65534") })
      #expect(!undecided.lines.contains { $0.contains("54.") || $0.contains("10.8") })
      let decision = Decision(
        selector: ClientSelector(userID: otherUser), level: .always, created: .now(), grantedBy: 0)
      _ = try places.store.update { $0.record(decision) }

      let allowed = try await run(as: otherUser, words + ["20"], environment: environment)
      #expect(allowed.code == 69)
      #expect(allowed.lines.contains { $0.contains(#""lat":54.093468333"#) }, "\(allowed.lines)")
    }
  }
}
