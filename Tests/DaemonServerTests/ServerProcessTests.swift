// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import FixcastTesting
import Glibc
import LocationServices
import Positioning
import Testing

@testable import DaemonServer

@Suite("Identification of the client process", .timeLimit(.minutes(5)))
struct ServerProcessTests {
  @Test(.needsRoot)
  func `if /proc hides the client's process, the client is refused, and the error names the remedy`() async throws {
    let processes = try ScratchFolder()
    let daemon = try await TestDaemon(policy: "allow everyone\n", evidence: ProcessEvidence(folder: processes.path))
    daemon.publishFix()
    let client = try RawClient(daemon.path, user: 1)
    client.get("/v1/location?timeout=1&purpose=test")
    let text = await client.waitForEnd()
    #expect(text.hasPrefix("HTTP/1.1 403 "), "\(text)")
    #expect(text.contains("hidepid") && text.contains("fixcast doctor"), "\(text)")
    #expect(!text.contains("54.09"))
    #expect(await daemon.end() == nil)
  }

  /// Returns the output of a child process that inherits a connection from its parent, which has
  /// exited.
  ///
  /// If `parentSends` is true, the parent sends the request; otherwise the child sends it.
  private func inheritedConnection(parentSends: Bool) async throws -> [String] {
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
      # The parent closes its descriptors before it has exited, so wait for its exit.
      select.select([opener], [], [])
      print("alone", flush=True)
      if sys.argv[2] != "True":
          ask()
      data = b"x"
      while data:
          data = s.recv(65536)
          print(data.decode().replace("\\n", "|") if data else "END", flush=True)
      """
    let arguments = ["-c", script, daemon.path, parentSends ? "True" : "False"]
    let lines = try await ChildProcess.use(path: "/usr/bin/python3", arguments: arguments) { program in
      if parentSends {
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

  @Test(.needsRoot)
  func `no more data is sent on an inherited connection after the process that opened it has exited`() async throws {
    let lines = try await inheritedConnection(parentSends: true)
    #expect(lines.contains { $0.contains("54.09") }, "\(lines)")
    #expect(!lines.contains { $0.contains("33.25") }, "\(lines)")
  }

  @Test(.needsRoot)
  func `a request on an inherited connection is not served after the opening process has exited`() async throws {
    let lines = try await inheritedConnection(parentSends: false)
    // The child gets nothing, or a refusal if the client was not identified before its process
    // exited.
    #expect(!lines.contains { $0.contains("HTTP/1.1 200") || $0.contains("33.25") }, "\(lines)")
  }
}
