// SPDX-License-Identifier: Apache-2.0

import DaemonInterface
import FixcastTesting
import Glibc
import LocationServices
import Positioning
import Testing

@testable import Broker

@Suite("Which process is served", .timeLimit(.minutes(5))) struct BrokerProcessTests {
  @Test("whether a process still runs is looked at before it is told more, and now and then only")
  func checks() {
    var world = BrokerWorld()
    world.initial = Authorization(.authorizedAlways)
    let id = world.request(DaemonRequest(.events))
    for step in 0..<30 {
      world.actions = []
      world.say()
      let checks = world.actions.filter { if case .check = $0 { true } else { false } }
      #expect(checks.count == (step % 10 == 0 && step > 0 ? 1 : 0), "\(step)")
      guard let check = checks.first else {
        world.advance(seconds: 1)
        continue
      }
      #expect(world.actions.first == check)
      #expect(check == .check(world.opened[0].process, [id]))
      world.advance(seconds: 1)
    }
  }

  @Test(
    "where /proc hides who connected, nobody is served, and what to change is told",
    .enabled(if: geteuid() == 0, "needs root"))
  func hidden() async throws {
    let processes = try ScratchFolder()
    let daemon = try await TestDaemon(
      policy: "allow everyone\n", evidence: ProcessEvidence(folder: processes.path))
    daemon.say()
    let client = try RawClient(daemon.path, user: 1)
    client.get("/v1/location?timeout=1&purpose=test")
    let text = await client.waitForEnd()
    #expect(text.hasPrefix("HTTP/1.1 403 "), "\(text)")
    #expect(text.contains("hidepid") && text.contains("fixcast doctor"), "\(text)")
    #expect(!text.contains("54.09"))
    #expect(await daemon.end() == nil)
  }

  @Test(
    "a connection that outlives the process that opened it is told nothing more",
    .enabled(if: geteuid() == 0, "needs root"))
  func inherited() async throws {
    var limits = BrokerLimits()
    limits.checkSeconds = 0
    let daemon = try await TestDaemon(limits: limits)
    let script = """
      import os, select, socket, sys
      s = socket.socket(socket.AF_UNIX)
      s.connect(sys.argv[1])
      s.sendall(b"GET /v1/events HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
      print(s.recv(65536).decode().count("AUTH") > 0, flush=True)
      while True:
          data = s.recv(65536)
          print(data.decode().replace("\\n", "|"), flush=True)
          if b"54.09" in data:
              break
      opener = os.pidfd_open(os.getpid())
      if os.fork():
          os._exit(0)
      # Not before it has ended: what it had open is closed earlier than that.
      select.select([opener], [], [])
      print("alone", flush=True)
      while data:
          data = s.recv(65536)
          print(data.decode().replace("\\n", "|") if data else "END", flush=True)
      """
    let lines = try await ChildProcess.use(
      path: "/usr/bin/python3", arguments: ["-c", script, daemon.path]
    ) { program in
      await program.lines.wait(for: 1)
      daemon.say()
      await program.lines.wait { $0.contains { $0.contains(TestDaemon.latitude) } }
      await program.lines.wait { $0.contains("alone") }
      daemon.say(latitude: 33.25)
      return await program.lines.wait { $0.last == "END" }
    }
    #expect(lines.first == "True" && !lines.contains { $0.contains("33.25") }, "\(lines)")
    #expect(await daemon.end() == nil)
  }
}
