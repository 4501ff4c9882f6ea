// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Testing

/// `fixcast path` as its user runs it, on boards of the tests' own.
@Suite(
  .enabled(if: NetworkNamespace.isPermitted, "network namespaces are not permitted here"),
  .timeLimit(.minutes(5)), .serialized)
struct PathCommandTests {
  @Test("says that there is a way out, over what, and that nobody has said what bytes cost")
  func wayOut() async throws {
    let lab = NetworkNamespaceFixture()
    let (lines, code) = try await lab.run("path")
    #expect(code == 0)
    #expect(lines.contains("status      satisfied"))
    #expect(lines.contains("interfaces  wan0 (virtual)"))
    #expect(lines.contains("families    IPv4"))
    #expect(lines.contains("metered     unknown"))
  }

  @Test("says why there is none, in the object of the pipeline too, and exits 69")
  func noWayOut() async throws {
    let lab = NetworkNamespaceFixture()
    lab.removeRoute()
    let (lines, code) = try await lab.run("path", "--json")
    #expect(code == 69)
    #expect(
      lines.first
        == #"{"class":"PATH","status":"unsatisfied","reason":"noDefaultRoute","#
        + #""interfaces":["wan0"],"expensive":false,"constrained":false}"#)
    #expect(lines.last?.hasPrefix("fixcast: no network path: no route to where it should go") == true)
  }

  @Test("without any interface, a host on the board itself and one on the network differ")
  func destinations() async throws {
    let lab = NetworkNamespaceFixture(connected: false)
    #expect(try await lab.run("path").code == 69)
    #expect(try await lab.run("path", "--to", "localhost").code == 0)
    #expect(try await lab.run("path", "--to", "198.51.100.9").code == 69)
  }

  @Test("a host on the local network needs no default route")
  func localHost() async throws {
    let lab = NetworkNamespaceFixture()
    lab.removeRoute()
    #expect(try await lab.run("path", "--to", "198.51.100.9").code == 0)
    #expect(try await lab.run("path", "--to", "203.0.113.10").code == 69)
  }

  @Test(
    "refuses what is no host, and what means nothing without a probe",
    arguments: [
      ["--to", "http://203.0.113.10"], ["--to", "203.0.113.10:80"], ["--to", "300.1.1.1"],
      ["--to", ""], ["--to", "a b"], ["--to", "a..b"], ["--to", "[203.0.113.10]"],
      ["--to", "fe80::1::2"], ["--timeout", "3"],
      ["--verify", "http://203.0.113.10/x#y"], ["--verify", "http://u:p@203.0.113.10/"],
    ])
  func refusals(arguments: [String]) async throws {
    let lab = NetworkNamespaceFixture()
    let (lines, code) = try await lab.run(["path"] + arguments)
    #expect(code == 64, "\(lines)")
  }

  @Test(
    "takes names and addresses of both families",
    arguments: ["example.org.", "board_1", "::1", "[::1]", "127.0.0.1", "xn--bcher-kva.example"])
  func hosts(host: String) async throws {
    let lab = NetworkNamespaceFixture()
    #expect(try await lab.run("path", "--to", host).code == 0)
  }

  @Test("a probe tells of the path that it takes, unless another is asked for")
  func probedPath() async throws {
    let lab = NetworkNamespaceFixture()
    lab.removeRoute()
    let server = try HTTPStandIn(in: lab.isp, status: "204 No Content")
    defer { server.stop() }
    let url = "http://198.51.100.1/generate_204"
    let neighbour = try await lab.run("path", "--verify", url)
    #expect(neighbour.code == 0, "\(neighbour.lines)")
    #expect(neighbour.lines.contains("status      satisfied"))
    #expect(neighbour.lines.contains("verified    yes"))
    #expect(try await lab.run("path", "--verify", url, "--to", "203.0.113.10").code == 69)
  }

  @Test("watches until it is told to stop")
  func watch() async throws {
    let lab = NetworkNamespaceFixture()
    let (lines, code) = try await lab.use(["path", "--watch"]) { program in
      await program.lines.wait(until: { $0.contains { $0.contains(" satisfied via wan0") } })
      lab.removeRoute()
      await program.lines.wait(until: { $0.contains { $0.contains("unsatisfied") } })
      program.send(SIGTERM)
      let status = await program.wait()
      return (program.lines.events, status)
    }
    #expect(code == 0)
    #expect(lines.count >= 2)
    #expect(
      lines.last?.hasSuffix("unsatisfied via wan0 (virtual): no route to where it should go")
        == true)
  }

  @Test("a watch ends with its reader, although nothing changes")
  func closedOutput() async throws {
    let lab = NetworkNamespaceFixture()
    let (lines, code) = try await lab.runPiped("path", "--watch", into: "head -n 1")
    #expect(lines.first?.contains(" satisfied via wan0") == true, "\(lines)")
    #expect(code == 74, "\(lines)")
  }

  @Test("hears of name servers that go and come, where a container's file is mounted too")
  func nameservers() async throws {
    let lab = NetworkNamespaceFixture()
    let resolver = try ScratchFile("nameserver 198.51.100.1\n".utf8)
    let words = [" satisfied via wan0 (virtual)", "no name server is configured"]
    _ = try await lab.use(["path", "--watch"], resolver: resolver.path) { program in
      var seen = 0
      func isTold(_ text: String) async -> Duration {
        let (begin, before) = (ContinuousClock.now, seen)
        seen = await program.lines.wait {
          $0.dropFirst(before).contains { $0.contains(text) }
        }.count
        return ContinuousClock.now - begin
      }
      _ = await isTold(words[0])
      try Data().write(to: URL(filePath: resolver.path))
      let gone = await isTold(words[1])
      try Data("nameserver 198.51.100.2\n".utf8).write(to: URL(filePath: resolver.path))
      let back = await isTold(words[0])
      print("mounted name servers gone: told after \(gone), back: \(back)")
      // By the backstop it would be fifteen seconds after the last change.
      #expect(gone < .seconds(10) && back < .seconds(10))
    }
  }

  @Test(
    "finds what is behind the next hop",
    arguments: [
      ("204 No Content", nil, 0, #""outcome":"verified""#),
      ("302 Found", nil, 69, #""outcome":"portal","status":302"#),
      ("200 OK", nil, 69, #""outcome":"portal","status":200"#),
      ("204 No Content", "stopped", 69, #""outcome":"upstreamDead""#),
      ("204 No Content", "blackhole", 69, #""outcome":"upstreamDead""#),
    ] as [(String, String?, Int32, String)])
  func verify(status: String, fault: String?, code: Int32, object: String) async throws {
    let lab = NetworkNamespaceFixture()
    let server = try HTTPStandIn(
      in: lab.isp, status: status, headers: ["Location: http://203.0.113.10/login"])
    if fault == "stopped" { server.stop() }
    if fault == "blackhole" { lab.isp.ip("route add blackhole 198.51.100.2/32") }
    defer { server.stop() }
    // Only what is never answered is waited for to the end.
    let timeout = fault == "blackhole" ? "0.5" : "20"
    let (lines, exit) = try await lab.run(
      "path", "--json", "--timeout", timeout, "--verify", "http://203.0.113.10/generate_204")
    #expect(exit == code)
    #expect(lines.first?.contains(#""status":"satisfied""#) == true)
    #expect(lines.dropFirst().first?.contains(object) == true, "\(lines)")
    #expect(server.requests.events == (fault == nil ? ["GET /generate_204 HTTP/1.1"] : []))
  }

  @Test("says of a page that no portal can answer for that it finds none")
  func verifySecret() async throws {
    let lab = NetworkNamespaceFixture()
    let server = try HTTPStandIn(in: lab.isp, port: 443, status: "302 Found")
    defer { server.stop() }
    let (lines, code) = try await lab.run("path", "--verify", "https://203.0.113.10/generate_204")
    #expect(code == 69)
    #expect(lines.contains { $0.contains("upstreamDead") }, "\(lines)")
    #expect(lines.last?.contains("to detect a portal, use a page with http://") == true, "\(lines)")
  }

  @Test("a URL without a host, and a watch that verifies, are wrong usage")
  func wrongUsage() async throws {
    #expect(try await Program.run("path", "--verify", "http://").code == 64)
    #expect(try await Program.run("path", "--timeout", "0").code == 64)
    #expect(
      try await Program.run("path", "--watch", "--verify", "http://127.0.0.1/").code == 64)
  }

  @Test(
    "says that bytes cost money where NetworkManager does, and nothing of it where there is none",
    .enabled(if: SystemBus.isInstalled, "needs dbus-daemon, python3-dbus and python3-gi"))
  func metered() async throws {
    let lab = NetworkNamespaceFixture()
    let folder = URL.temporaryDirectory.appending(path: "fixcast-bus-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let property = folder.appending(path: "metered")
    try Data("3".utf8).write(to: property)
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .appending(path: "PathMonitorClientLiveTests/Scripts/network-manager.py").path
    let absent = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(folder.path)/none"]
    let free = try await lab.run(["path", "--json"], environment: absent)
    #expect(free.code == 0 && free.lines.count == 1)
    #expect(free.lines.first?.contains(#""expensive":false"#) == true)
    try await SystemBus.use(in: folder.path) { bus, _ in
      try await ChildProcess.use(
        path: "/usr/bin/python3", arguments: [script, bus.address, property.path]
      ) { standIn in
        #expect(await standIn.lines.wait(for: 1) == ["ready"])
        // Where the answer takes longer than a tenth of a second there is none.
        var lines: [String] = []
        while !lines.contains(where: { $0.contains(#""expensive":true"#) }), !Task.isCancelled {
          let paid = try await lab.run(
            ["path", "--json"], environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
          #expect(paid.code == 0)
          lines = paid.lines
        }
        #expect(lines.first?.contains(#""expensive":true"#) == true, "\(lines)")
      }
    }
  }
}
