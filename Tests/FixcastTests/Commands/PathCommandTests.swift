// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Testing

/// The `fixcast path` command in network namespaces.
@Suite(.needsNetworkNamespaces, .timeLimit(.minutes(5)), .serialized)
struct PathCommandTests {
  @Test func `path prints status, interfaces, address families, and that metering is unknown`() async throws {
    let network = NetworkNamespaceFixture()
    let (lines, code) = try await network.run("path")
    #expect(code == 0)
    #expect(lines.contains("status      satisfied"))
    #expect(lines.contains("interfaces  wan0 (virtual)"))
    #expect(lines.contains("families    IPv4"))
    #expect(lines.contains("metered     unknown"))
  }

  @Test func `path prints a missing route with its reason as JSON, and exits with 69`() async throws {
    let network = NetworkNamespaceFixture()
    network.removeRoute()
    let (lines, code) = try await network.run("path", "--json")
    #expect(code == 69)
    #expect(
      lines.first
        == #"{"class":"PATH","status":"unsatisfied","reason":"noDefaultRoute","#
        + #""interfaces":["wan0"],"expensive":false,"constrained":false}"#)
    let start = "fixcast: no network path: no route to the destination"
    #expect(lines.last?.hasPrefix(start) == true)
  }

  @Test func `without a network interface, only a host on the board itself has a path`() async throws {
    let network = NetworkNamespaceFixture(connected: false)
    #expect(try await network.run("path").code == 69)
    #expect(try await network.run("path", "--to", "localhost").code == 0)
    #expect(try await network.run("path", "--to", "198.51.100.9").code == 69)
  }

  @Test func `a path to a host on the local network needs no default route`() async throws {
    let network = NetworkNamespaceFixture()
    network.removeRoute()
    #expect(try await network.run("path", "--to", "198.51.100.9").code == 0)
    #expect(try await network.run("path", "--to", "203.0.113.10").code == 69)
  }

  @Test(arguments: [
    ["--to", "http://203.0.113.10"], ["--to", "203.0.113.10:80"], ["--to", "300.1.1.1"],
    ["--to", ""], ["--to", "a b"], ["--to", "a..b"], ["--to", "[203.0.113.10]"],
    ["--to", "fe80::1::2"], ["--timeout", "3"],
    ["--verify", "http://203.0.113.10/x#y"], ["--verify", "http://u:p@203.0.113.10/"],
  ])
  func `path rejects an invalid host, an invalid URL, and --timeout without --verify`(arguments: [String]) async throws
  {
    let network = NetworkNamespaceFixture()
    let (lines, code) = try await network.run(["path"] + arguments)
    #expect(code == 64, "\(lines)")
  }

  @Test(arguments: ["example.org.", "board_1", "::1", "[::1]", "127.0.0.1", "xn--bcher-kva.example"])
  func `path --to accepts host names, and addresses of both families`(host: String) async throws {
    let network = NetworkNamespaceFixture()
    #expect(try await network.run("path", "--to", host).code == 0)
  }

  @Test func `path --verify reports the path to the page's host unless --to names another host`() async throws {
    let network = NetworkNamespaceFixture()
    network.removeRoute()
    let server = try FakeHTTPServer(in: network.isp, status: "204 No Content")
    defer { server.stop() }
    let url = "http://198.51.100.1/generate_204"
    let neighbour = try await network.run("path", "--verify", url)
    #expect(neighbour.code == 0, "\(neighbour.lines)")
    #expect(neighbour.lines.contains("status      satisfied"))
    #expect(neighbour.lines.contains("verified    yes"))
    #expect(try await network.run("path", "--verify", url, "--to", "203.0.113.10").code == 69)
  }

  @Test func `path --watch reports changes until SIGTERM`() async throws {
    let network = NetworkNamespaceFixture()
    let (lines, code) = try await network.use(["path", "--watch"]) { program in
      await program.lines.wait(until: { $0.contains { $0.contains(" satisfied via wan0") } })
      network.removeRoute()
      await program.lines.wait(until: { $0.contains { $0.contains("unsatisfied") } })
      program.send(SIGTERM)
      let status = await program.wait()
      return (program.lines.events, status)
    }
    #expect(code == 0)
    #expect(lines.count >= 2)
    #expect(lines.last?.hasSuffix("unsatisfied via wan0 (virtual): no route to the destination") == true)
  }

  @Test func `path --watch exits when its reader closes the pipe, even without a change`() async throws {
    let network = NetworkNamespaceFixture()
    let (lines, code) = try await network.runPiped("path", "--watch", into: "head -n 1")
    #expect(lines.first?.contains(" satisfied via wan0") == true, "\(lines)")
    #expect(code == 74, "\(lines)")
  }

  @Test func `path --watch reports changed name servers in a bind-mounted resolv.conf`() async throws {
    let network = NetworkNamespaceFixture()
    let resolver = try ScratchFile("nameserver 198.51.100.1\n".utf8)
    let words = [" satisfied via wan0 (virtual)", "no name server is configured"]
    _ = try await network.use(["path", "--watch"], resolver: resolver.path) { program in
      var seen = 0
      func delay(until text: String) async -> Duration {
        let (begin, before) = (ContinuousClock.now, seen)
        seen = await program.lines.wait {
          $0.dropFirst(before).contains { $0.contains(text) }
        }.count
        return ContinuousClock.now - begin
      }
      _ = await delay(until: words[0])
      try Data().write(to: URL(filePath: resolver.path))
      let gone = await delay(until: words[1])
      try Data("nameserver 198.51.100.2\n".utf8).write(to: URL(filePath: resolver.path))
      let back = await delay(until: words[0])
      print("name servers removed: reported after \(gone), restored: \(back)")
      // Polling would report the change only after fifteen seconds.
      #expect(TimeGoal.isReached(max(gone, back), atMostSeconds: 10))
    }
  }

  @Test(
    arguments: [
      ("204 No Content", nil, 0, #""outcome":"verified""#),
      ("302 Found", nil, 69, #""outcome":"portal","status":302"#),
      ("200 OK", nil, 69, #""outcome":"portal","status":200"#),
      ("204 No Content", "stopped", 69, #""outcome":"upstreamDead""#),
      ("204 No Content", "blackhole", 69, #""outcome":"upstreamDead""#),
    ] as [(String, String?, Int32, String)])
  func `path --verify distinguishes a portal, an unresponsive network and a verified path`(
    status: String, fault: String?, code: Int32, object: String
  ) async throws {
    let network = NetworkNamespaceFixture()
    let server = try FakeHTTPServer(in: network.isp, status: status, headers: ["Location: http://203.0.113.10/login"])
    if fault == "stopped" { server.stop() }
    if fault == "blackhole" { network.isp.ip("route add blackhole 198.51.100.2/32") }
    defer { server.stop() }
    // Only a request without a response waits for the timeout.
    let timeout = fault == "blackhole" ? "0.5" : "20"
    let (lines, exit) = try await network.run(
      "path", "--json", "--timeout", timeout, "--verify", "http://203.0.113.10/generate_204")
    #expect(exit == code)
    #expect(lines.first?.contains(#""status":"satisfied""#) == true, "\(lines)")
    #expect(lines.dropFirst().first?.contains(object) == true, "\(lines)")
    #expect(server.requests.events == (fault == nil ? ["GET /generate_204 HTTP/1.1"] : []))
  }

  @Test func `a failed path --verify of an https URL suggests http to detect a portal`() async throws {
    let network = NetworkNamespaceFixture()
    let server = try FakeHTTPServer(in: network.isp, port: 443, status: "302 Found")
    defer { server.stop() }
    let (lines, code) = try await network.run("path", "--verify", "https://203.0.113.10/generate_204")
    #expect(code == 69)
    #expect(lines.contains { $0.contains("upstreamDead") }, "\(lines)")
    #expect(lines.last?.contains("to detect a portal, use a page with http://") == true, "\(lines)")
  }

  @Test func `path rejects a URL without a host, a zero timeout, and --watch with --verify`() async throws {
    #expect(try await Program.run("path", "--verify", "http://").code == 64)
    #expect(try await Program.run("path", "--timeout", "0").code == 64)
    #expect(try await Program.run("path", "--watch", "--verify", "http://127.0.0.1/").code == 64)
  }

  @Test(.enabled(if: SystemBus.isInstalled, "needs dbus-daemon, python3-dbus and python3-gi"))
  func `a connection is expensive if NetworkManager reports it as metered, not without NetworkManager`() async throws {
    let network = NetworkNamespaceFixture()
    let folder = URL.temporaryDirectory.appending(path: "fixcast-bus-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let property = folder.appending(path: "metered")
    try Data("3".utf8).write(to: property)
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .appending(path: "PathMonitorClientLiveTests/Scripts/network-manager.py").path
    let absent = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(folder.path)/none"]
    let free = try await network.run(["path", "--json"], environment: absent)
    #expect(free.code == 0 && free.lines.count == 1)
    #expect(free.lines.first?.contains(#""expensive":false"#) == true)
    try await SystemBus.use(in: folder.path) { bus, _ in
      try await ChildProcess.use(path: "/usr/bin/python3", arguments: [script, bus.address, property.path]) { standIn in
        #expect(await standIn.lines.wait(for: 1) == ["ready"])
        // The program ignores a response of NetworkManager after more than 0.1 seconds, so the
        // command is repeated.
        var lines: [String] = []
        while !lines.contains(where: { $0.contains(#""expensive":true"#) }), !Task.isCancelled {
          let paid = try await network.run(["path", "--json"], environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
          #expect(paid.code == 0)
          lines = paid.lines
        }
        #expect(lines.first?.contains(#""expensive":true"#) == true, "\(lines)")
      }
    }
  }
}
