// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Testing

/// The output of `fixcast status` and `fixcast doctor` for sinks and servers that do not work.
@Suite("Outages of sinks and servers", .timeLimit(.minutes(5)))
struct OutageTests {
  private static let source = DaemonFixture.source("type = \"simulated\"")
  private static let withoutGPSD = "[gpsd_server]\nenabled = false\n"

  /// A broker that accepts each connection, and closes it after the first packet.
  private static let closingBroker = """
    import socket
    server = socket.create_server(("127.0.0.1", 0))
    print(server.getsockname()[1], flush=True)
    while True:
        client, _ = server.accept()
        client.recv(4096)
        client.sendall(b"\\x20\\x02\\x00\\x00")
        client.recv(1)
        client.close()
    """

  private static func mqtt(_ port: UInt16) -> String {
    source + withoutGPSD
      + "[[sink]]\ntype = \"mqtt\"\nbroker = \"mqtt://127.0.0.1:\(port)\"\nboard = \"van\"\n"
  }

  /// Returns the output of a command, joined, so that a line break does not matter.
  private static func text(_ lines: [String]) -> String {
    lines.map { $0.drop { $0 == " " } }.joined(separator: " ")
  }

  /// Expects that status, doctor and the metrics report a sink that waits for a reason.
  private static func expectWaiting(
    _ name: String, _ reason: String, remedy: String, _ board: borrowing DaemonFixture
  ) async throws {
    let status = try await board.run("status")
    #expect(status.lines.contains { $0.hasPrefix("sink \(name) ") && $0.contains(" waiting ") }, "\(status.lines)")
    #expect(text(status.lines).contains("waiting: \(reason)"), "\(status.lines)")
    #expect(text(status.lines).contains(", since "), "\(status.lines)")
    let doctor = try await board.run("doctor")
    let index = try #require(doctor.lines.firstIndex { $0.hasPrefix("BAD   sink \(name) ") }, "\(doctor.lines)")
    #expect(doctor.lines[index].contains("waiting: \(reason)"), "\(doctor.lines)")
    #expect(doctor.lines[index + 1].contains(" -> \(remedy)"), "\(doctor.lines)")
    #expect(doctor.code == 69)
    let metrics = try await board.run("status", "--prometheus")
    #expect(metrics.lines.contains("fixcast_sink_running{sink=\"\(name)\"} 0"), "\(metrics.lines)")
    let queue = metrics.lines.first { $0.hasPrefix("fixcast_sink_queue{sink=\"\(name)\"} ") }
    #expect(queue?.hasSuffix(" 0") == false, "\(metrics.lines)")
    #expect(
      metrics.lines.contains { $0.hasPrefix("fixcast_sink_oldest_age_seconds{sink=\"\(name)\"} ") },
      "\(metrics.lines)")
  }

  @Test func `a sink whose broker is down is waiting, with the address and the reason`() async throws {
    let reserved = try ReservedPort()
    let board = try DaemonFixture()
    try board.configure(Self.mqtt(reserved.number))
    try await board.use { daemon in
      await DaemonFixture.wait(for: "Connection refused; retrying", daemon)
      try await Self.expectWaiting(
        "mqtt", "mqtt://127.0.0.1:\(reserved.number): Connection refused",
        remedy: "systemctl status mosquitto ", board)
    }
    reserved.release()
  }

  @Test func `a sink whose broker closes every connection is waiting`() async throws {
    let board = try DaemonFixture()
    try await ChildProcess.use(path: "/usr/bin/python3", arguments: ["-c", Self.closingBroker]) { broker in
      let port = try #require(await broker.lines.wait(for: 1).first.flatMap { UInt16($0) })
      try board.configure(Self.mqtt(port))
      try await board.use { daemon in
        await DaemonFixture.wait(for: "; retrying", daemon)
        try await Self.expectWaiting(
          "mqtt", "mqtt://127.0.0.1:\(port): the broker closed the connection",
          remedy: "systemctl status mosquitto ", board)
      }
    }
  }

  @Test(.enabled(if: SmallVolume.isPermitted, "needs permission to mount"))
  func `a sink whose disk is full is waiting`() async throws {
    let board = try DaemonFixture()
    try board.folder.makeFolder("disk")
    let disk = board.path + "/disk"
    try board.configure(Self.source + Self.withoutGPSD + board.sink("gpx", name: "track", file: "disk/track.gpx"))
    let script =
      "mount -t tmpfs -o size=16384 tmpfs \(disk) && cat /dev/zero > \(disk)/filler 2>/dev/null; exec \"$@\""
    let wrapper = ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, "sh"]
    try await board.use(wrapper: wrapper) { daemon in
      await DaemonFixture.wait(for: "No space left on device", daemon)
      try await Self.expectWaiting("track", "\(disk)/track.gpx: ", remedy: "df -h ", board)
    }
  }

  @Test func `a track that was removed is a note of doctor, and status names it`() async throws {
    let board = try DaemonFixture()
    try board.configure(
      Self.source + Self.withoutGPSD + board.sink("gpx", name: "gpx", file: "track.gpx")
        + board.sink("sqlite", name: "sqlite", file: "track.sqlite")
        + board.sink("jsonlines", name: "lines", file: "track.jsonl"))
    let path = board.path
    try await board.use { daemon in
      for (name, file) in [
        ("gpx", "track.gpx"), ("sqlite", "track.sqlite"), ("lines", "track.jsonl"),
      ] {
        try await FolderChanges.wait(in: path) {
          FileManager.default.fileExists(atPath: "\(path)/\(file)")
        }
        #expect(unlink("\(path)/\(file)") == 0)
        let reason =
          "\(path)/\(file) was moved or removed by another program; writing to a new file"
        await DaemonFixture.wait(for: reason, daemon)
        let status = try await board.run("status")
        #expect(status.lines.contains { $0.hasPrefix("sink \(name) ") && $0.contains(" running ") }, "\(status.lines)")
        #expect(Self.text(status.lines).contains(" ago: \(reason)"), "\(status.lines)")
        let doctor = try await board.run("doctor")
        let index = try #require(doctor.lines.firstIndex { $0.hasPrefix("note  sink \(name) ") }, "\(doctor.lines)")
        #expect(doctor.lines[index].contains(reason), "\(doctor.lines)")
        #expect(doctor.lines[index + 1].contains(" -> sudo grep -rsF \(file) "), "\(doctor.lines)")
      }
    }
  }

  @Test func `a server whose port is taken has failed, with the command that helps`() async throws {
    let board = try DaemonFixture()
    try await ChildProcess.use(path: "/usr/bin/python3", arguments: ["-c", Self.closingBroker]) { other in
      let port = try #require(await other.lines.wait(for: 1).first)
      try board.configure(
        Self.source + Self.withoutGPSD
          + "[nmea_server]\nenabled = true\nlisten = [\"127.0.0.1:\(port)\"]\n"
          + "socket = \"\(board.path)/nmea.sock\"\n")
      try await board.use { _ in
        let status = try await board.run("status")
        #expect(Self.text(status.lines).contains("failed since "), "\(status.lines)")
        #expect(Self.text(status.lines).contains("127.0.0.1:\(port): bind: Address already in use"), "\(status.lines)")
        let doctor = try await board.run("doctor")
        let index = try #require(doctor.lines.firstIndex { $0.hasPrefix("BAD   nmea server ") }, "\(doctor.lines)")
        #expect(doctor.lines[index].contains("Address already in use"), "\(doctor.lines)")
        #expect(doctor.lines[index + 1].contains("set another port with listen"), "\(doctor.lines)")
        #expect(doctor.code == 69)
        let metrics = try await board.run("status", "--prometheus")
        #expect(metrics.lines.contains(#"fixcast_server_running{server="nmea"} 0"#), "\(metrics.lines)")
      }
    }
  }
}
