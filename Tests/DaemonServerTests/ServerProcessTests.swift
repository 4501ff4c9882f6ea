// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import FixcastTesting
import Glibc
import LocationServices
import Positioning
import Testing

@testable import DaemonServer

@Suite("Which process is served", .timeLimit(.minutes(5))) struct ServerProcessTests {
  @Test(
    "where /proc hides who connected, nobody is served, and what to change is told",
    .enabled(if: geteuid() == 0, "needs root"))
  func hidden() async throws {
    let processes = try ScratchFolder()
    let daemon = try await TestDaemon(
      policy: "allow everyone\n", evidence: ProcessEvidence(folder: processes.path))
    daemon.publishFix()
    let client = try RawClient(daemon.path, user: 1)
    client.get("/v1/location?timeout=1&purpose=test")
    let text = await client.waitForEnd()
    #expect(text.hasPrefix("HTTP/1.1 403 "), "\(text)")
    #expect(text.contains("hidepid") && text.contains("fixcast doctor"), "\(text)")
    #expect(!text.contains("54.09"))
    #expect(await daemon.end() == nil)
  }

  /// The lines of a child whose parent left it a connection and ended.
  ///
  /// The parent sends the request where `asksFirst`, else the child does.
  private func heirs(asksFirst: Bool) async throws -> [String] {
    let daemon = try await TestDaemon()
    let script = """
      import os, select, socket, sys
      s = socket.socket(socket.AF_UNIX)
      s.connect(sys.argv[1])
      ask = lambda: s.sendall(b"GET /v1/events HTTP/1.1\\r\\nHost: fixcast\\r\\n\\r\\n")
      if sys.argv[2] == "True":
          ask()
          data = b""
          while b"54.09" not in data:
              data = s.recv(65536)
              print(data.decode().replace("\\n", "|"), flush=True)
      opener = os.pidfd_open(os.getpid())
      if os.fork():
          os._exit(0)
      # Not before it has ended: what it had open is closed earlier than that.
      select.select([opener], [], [])
      print("alone", flush=True)
      if sys.argv[2] != "True":
          ask()
      data = b"x"
      while data:
          data = s.recv(65536)
          print(data.decode().replace("\\n", "|") if data else "END", flush=True)
      """
    let arguments = ["-c", script, daemon.path, asksFirst ? "True" : "False"]
    let lines = try await ChildProcess.use(
      path: "/usr/bin/python3", arguments: arguments
    ) { program in
      if asksFirst {
        await program.lines.wait { $0.contains { $0.contains("AUTH") } }
        daemon.publishFix()
        await program.lines.wait { $0.contains { $0.contains(TestDaemon.latitude) } }
      } else {
        daemon.publishFix(latitude: 33.25)
      }
      await program.lines.wait { $0.contains("alone") }
      daemon.publishFix(latitude: 33.25)
      return await program.lines.wait { $0.last == "END" }
    }
    #expect(await daemon.end() == nil)
    return lines
  }

  @Test(
    "a connection that outlives the process that opened it is told nothing more",
    .enabled(if: geteuid() == 0, "needs root"))
  func inherited() async throws {
    let lines = try await heirs(asksFirst: true)
    #expect(lines.contains { $0.contains("54.09") }, "\(lines)")
    #expect(!lines.contains { $0.contains("33.25") }, "\(lines)")
  }

  @Test(
    "a request sent by the heir of a connection is not answered",
    .enabled(if: geteuid() == 0, "needs root"))
  func askedByHeir() async throws {
    let lines = try await heirs(asksFirst: false)
    // A refusal at most, where it was not yet found out who connected.
    #expect(!lines.contains { $0.contains("HTTP/1.1 200") || $0.contains("33.25") }, "\(lines)")
  }
}
