// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

/// The daemon with a sink of type `mqtt`, and mosquitto.
@Suite(
  "Daemon and MQTT", .timeLimit(.minutes(2)),
  .enabled(if: access("/usr/sbin/mosquitto", X_OK) == 0, "needs mosquitto: make test-deps"))
struct MQTTDaemonTests {
  private static func sink(_ port: UInt16, _ keys: String = "") -> String {
    DaemonFixture.source("type = \"simulated\"")
      + "[[sink]]\ntype = \"mqtt\"\nbroker = \"mqtt://127.0.0.1:\(port)\"\nboard = \"van\"\n\(keys)\n"
  }

  /// Runs mosquitto, and a subscriber to all topics, while the body runs.
  private static func useBroker(
    _ board: borrowing DaemonFixture, _ port: UInt16, _ body: (ChildProcess) async throws -> Void
  ) async throws {
    try board.folder.write("mosquitto.conf", "listener \(port) 127.0.0.1\nallow_anonymous true\n")
    try await ChildProcess.use(
      path: "/usr/sbin/mosquitto", arguments: ["-c", board.path + "/mosquitto.conf"]
    ) { broker in
      await broker.lines.wait { lines in lines.contains { $0.hasSuffix(" running") } }
      try await ChildProcess.use(
        path: "/usr/bin/mosquitto_sub",
        arguments: ["-h", "127.0.0.1", "-p", "\(port)", "-t", "fixcast/#", "-F", "%t %p"], body)
    }
  }

  @Test func `the broker publishes offline after SIGKILL of the daemon`() async throws {
    let reserved = try ReservedPort()
    let port = reserved.number
    let board = try DaemonFixture()
    try board.configure(Self.sink(port))
    try await Self.useBroker(board, port) { subscriber in
      try await board.use { daemon in
        await subscriber.lines.wait { lines in
          lines.contains { $0.hasPrefix("fixcast/van/position {\"latitude\":") }
        }
        #expect(subscriber.lines.events.contains("fixcast/van/availability online"))
        daemon.send(SIGKILL)
        await subscriber.lines.wait { $0.last == "fixcast/van/availability offline" }
      }
    }
    reserved.release()
  }

  @Test func `a reload adds and removes the sink, and a planned end publishes offline`() async throws {
    let reserved = try ReservedPort()
    let port = reserved.number
    let board = try DaemonFixture()
    try board.configure(DaemonFixture.source("type = \"simulated\""))
    try await Self.useBroker(board, port) { subscriber in
      try await board.use { daemon in
        try board.configure(Self.sink(port))
        daemon.send(SIGHUP)
        await subscriber.lines.wait { $0.contains("fixcast/van/availability online") }
        try board.configure(DaemonFixture.source("type = \"simulated\""))
        daemon.send(SIGHUP)
        await subscriber.lines.wait { $0.contains("fixcast/van/availability offline") }
      }
    }
    reserved.release()
  }

  @Test func `the password is neither logged nor shown, and a file that others can read is an error`() async throws {
    let reserved = try ReservedPort()
    let board = try DaemonFixture()
    try board.folder.write("password", "zebra\n")
    chmod(board.path + "/password", 0o644)
    try board.configure(Self.sink(reserved.number, "username = \"pi\"\npassword_file = \"\(board.path)/password\""))
    let refused = try await board.run("check-config", board.configuration)
    #expect(refused.code != 0)
    #expect(
      refused.lines.contains { $0.contains("fix it with: sudo chmod 600 \(board.path)/password") }, "\(refused.lines)")
    chmod(board.path + "/password", 0o600)
    let shown = try await board.run("check-config", "--show", board.configuration)
    #expect(shown.code == 0, "\(shown.lines)")
    let logged = try await board.use { daemon in
      await DaemonFixture.wait(for: "Connection refused; retrying", daemon)
      let status = try await board.run("status", "--json")
      return daemon.lines.events + status.lines
    }
    #expect(!(shown.lines + logged).joined().contains("zebra"))
    reserved.release()
  }
}
