// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Testing

/// Lookups during network faults, through the whole program from log to weather.
@Suite(.needsNetworkNamespaces, .timeLimit(.minutes(5)), .serialized)
struct ReplayPathTests {
  private static let weather = """
    {"latitude":54,"longitude":10,"utc_offset_seconds":0,
    "current_units":{"temperature_2m":"°C","wind_speed_10m":"m/s","precipitation":"mm"},
    "current":{"time":1795246200,"interval":900,"temperature_2m":11.4}}
    """

  /// Returns one epoch of a drive north.
  private static func epoch(_ index: Int) -> String {
    let sentence =
      "GPRMC,1047\(index + 10),A,540\(index / 10).\(index % 10)000,N,01049.4791,E,20.0,0.0,240709,,,A"
    let sum = sentence.utf8.reduce(0, ^)
    return "$\(sentence)*" + (sum < 16 ? "0" : "") + String(sum, radix: 16, uppercase: true)
      + "\r\n"
  }

  /// A named pipe as a log that the test extends.
  private final class LogPipe {
    let path: String
    private var descriptor: Int32

    init(_ network: NetworkNamespaceFixture) {
      path = "/tmp/\(network.board.name).nmea"
      #expect(mkfifo(path, 0o600) == 0)
      descriptor = open(path, O_RDWR | O_CLOEXEC)
    }

    func append(_ epochs: Range<Int>) {
      let text = Array(epochs.map(ReplayPathTests.epoch).joined().utf8)
      #expect(write(descriptor, text, text.count) == text.count)
    }

    /// Closes the log, so that the program exits.
    func end() {
      if descriptor >= 0 { close(descriptor) }
      descriptor = -1
    }

    deinit {
      end()
      unlink(path)
    }
  }

  /// Returns status and verification of each reported path, in order.
  private static func paths(_ lines: [String]) -> [String] {
    lines.filter { $0.contains(#""class":"PATH""#) }.map { line in
      ["status", "reason", "verified"].compactMap { key in
        line.split(separator: "\"\(key)\":\"").dropFirst().first?.split(separator: "\"").first
      }.joined(separator: " ")
    }
  }

  @Test func `lookups wait while a route is missing; after its return the newest location is looked up`() async throws {
    let network = NetworkNamespaceFixture()
    let server = try FakeHTTPServer(in: network.isp, body: Self.weather)
    defer { server.stop() }
    let pipe = LogPipe(network)
    let (lines, status) = try await network.use(
      ["replay", pipe.path, "--speed", "100", "--json", "--weather-url", "http://203.0.113.10"]
    ) { program in
      defer { pipe.end() }
      pipe.append(0..<10)
      // All locations before the outage have passed the gate, so that they are not counted as held.
      await program.lines.wait(until: { lines in
        lines.contains { $0.contains("WEATHER") }
          && lines.contains { $0.contains(#""lat":54.013"#) }
      })
      #expect(server.requests.events.count == 1)
      network.removeRoute()
      await program.lines.wait(until: { $0.contains { $0.contains(#""status":"unsatisfied""#) } })
      // The drive ends more than 5 km from the last lookup, so a new lookup is due.
      pipe.append(30..<50)
      await program.lines.wait(until: { lines in
        lines.contains { $0.contains(#""verdict":"held","reason":"noDefaultRoute""#) }
          && lines.contains { $0.contains(#""lat":54.078"#) }
      })
      #expect(server.requests.events.count == 1)
      network.addRoute()
      await program.lines.wait(until: { $0.count { $0.contains("WEATHER") } == 2 })
      pipe.end()
      let status = await program.wait()
      return (program.lines.events, status)
    }
    #expect(status == 0, "\(lines)")
    let gate = lines.filter { $0.contains(#""class":"GATE""#) }
    #expect(gate.count >= 2 && gate.last?.contains(#""verdict":"passed""#) == true, "\(gate)")
    // The gate gets at most 24 locations during the outage, and fewer if the route returns before it
    // has received all of them.
    let held = gate.last?.split(separator: #""held":"#).last.flatMap { Int($0.dropLast()) } ?? 0
    #expect((1...24).contains(held), "\(gate)")
    // Every request rounds coordinates to hundredths of a degree.
    let requests = server.requests.events
    #expect(requests.count == 2, "\(requests)")
    #expect(requests.last?.contains("latitude=54.08&") == true, "\(requests)")
  }

  @Test(arguments: [false, true])
  func `a replay that waits for data from a named pipe exits on SIGTERM, also without a writer`(isWritten: Bool)
    async throws
  {
    let network = NetworkNamespaceFixture(connected: false)
    let pipe = LogPipe(network)
    if !isWritten { pipe.end() }
    let openWatch = inotify_init1(Int32(IN_CLOEXEC))
    defer { close(openWatch) }
    #expect(inotify_add_watch(openWatch, pipe.path, UInt32(IN_OPEN)) >= 0)
    let status = try await network.use(["replay", pipe.path, "--speed", "100", "--json"]) { program in
      if isWritten {
        pipe.append(0..<5)
        await program.lines.wait(until: { $0.contains { $0.contains(#""lat":54.005"#) } })
      } else {
        // Opening the log is the only visible sign that the program is running.
        let isOpen = await withCheckedContinuation { continuation in
          DispatchQueue(label: "opened").async {
            var event = pollfd(fd: openWatch, events: Int16(POLLIN), revents: 0)
            continuation.resume(returning: poll(&event, 1, 120_000) == 1)
          }
        }
        #expect(isOpen)
      }
      program.send(SIGTERM)
      return await program.wait()
    }
    // If no sentence was read, the exit code is 65.
    #expect(status == (isWritten ? 0 : 65 << 8))
  }

  /// A provider or network fault, and the verification that lookups report.
  struct Upstream: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var status = "200 OK"
    var headers: [String] = []
    var body = "<html>Welcome. Please log in.</html>"
    var url = "http://203.0.113.10"
    var verified: String
  }

  static let upstreams = [
    Upstream(testDescription: "a provider", body: weather, verified: "yes"),
    Upstream(
      testDescription: "a provider that returns an error in its own format",
      status: "400 Bad Request",
      body: #"{"error":true,"reason":"no"}"#, verified: "yes"),
    Upstream(testDescription: "a portal that shows its page", verified: "portal"),
    Upstream(
      testDescription: "a portal that redirects to its page", status: "302 Found",
      headers: ["Location: http://203.0.113.10/login"], body: "", verified: "portal"),
    Upstream(testDescription: "a server that is stopped", verified: "upstreamDead"),
    Upstream(testDescription: "a network that swallows all packets", verified: "upstreamDead"),
    Upstream(
      testDescription: "an address without a name server", url: "http://weather.example",
      verified: "dnsFailing"),
  ]

  @Test(arguments: upstreams)
  func `a lookup reports the verification of its network path once and holds no locations`(_ upstream: Upstream)
    async throws
  {
    let network = NetworkNamespaceFixture()
    let server = try FakeHTTPServer(
      in: network.isp, status: upstream.status, headers: upstream.headers, body: upstream.body)
    defer { server.stop() }
    if upstream.testDescription.contains("stopped") { server.stop() }
    if upstream.testDescription.contains("swallows") {
      network.isp.ip("route add blackhole 198.51.100.2/32")
    }
    // No name server runs at this address.
    let resolver = try ScratchFile("nameserver 198.51.100.1\n".utf8)
    let pipe = LogPipe(network)
    let lines = try await network.use(
      // At this speed lookups are a minute apart, so that a slow machine does not add a lookup.
      ["replay", pipe.path, "--speed", "1", "--json", "--weather-url", upstream.url],
      resolver: resolver.path
    ) { program in
      defer { pipe.end() }
      pipe.append(0..<3)
      await program.lines.wait(until: { $0.contains { $0.contains(#""verified":""#) } })
      // Losing the path also discards its verification.
      network.removeRoute()
      await program.lines.wait(until: { Self.paths($0).count > 2 })
      network.addRoute()
      return await program.lines.wait(until: { Self.paths($0).count > 3 })
    }
    // A lookup after the route's return may have added another PATH object.
    #expect(
      Self.paths(lines).prefix(4) == [
        "satisfied", "satisfied \(upstream.verified)", "unsatisfied noDefaultRoute", "satisfied",
      ])
    #expect(!lines.contains { $0.contains(#""verdict":"held""#) && $0.contains("portal") })
    // Only lookups send requests: one for the first location and, if that lookup failed,
    // one for the newest location.
    let requestCount = server.requests.events.count { $0.contains("/v1/forecast") }
    #expect(requestCount <= (upstream.body == Self.weather ? 1 : 2))
    #expect(server.requests.events.allSatisfy { $0.contains("forecast") || $0.contains("login") })
  }

  @Test func `a provider gets one request even if a log is replayed twice at full speed`() async throws {
    let board = try WeatherFixture()
    let server = try board.serve(Self.weather)
    let log = try ScratchFile((0..<10).map(Self.epoch).joined().utf8)
    for _ in 0..<2 {
      let (lines, code) = try await board.run([
        "replay", log.path, "--speed", "max", "--json", "--provider", "openmeteo",
        "--weather-url", "http://203.0.113.10",
      ])
      #expect(code == 0, "\(lines)")
      #expect(lines.contains { $0.contains(#""class":"WEATHER""#) })
    }
    #expect(server.requests.events.count == 1)
  }

  @Test(arguments: [
    ("127.0.0.1:8080", true), ("localhost:8080", true), ("198.51.100.1", true),
    ("203.0.113.10", false),
  ])
  func `only a provider outside the local network needs a default route`(host: String, isReachable: Bool) async throws {
    // A board without a network, or with a local network only.
    let isOnBoard = host.hasSuffix("8080")
    let network = NetworkNamespaceFixture(connected: !isOnBoard)
    if !isOnBoard { network.removeRoute() }
    let server = try FakeHTTPServer(
      in: isOnBoard ? network.board : network.isp, port: isOnBoard ? 8080 : 80, body: Self.weather)
    defer { server.stop() }
    let log = try ScratchFile((0..<10).map(Self.epoch).joined().utf8)
    let (lines, code) = try await network.run(
      "replay", log.path, "--speed", "max", "--json", "--weather-url", "http://\(host)")
    #expect(code == (isReachable ? 0 : 69), "\(lines)")
    #expect(Self.paths(lines).first == (isReachable ? "satisfied" : "unsatisfied noDefaultRoute"))
    #expect(lines.contains { $0.contains(#""class":"WEATHER""#) } == isReachable)
    #expect(server.requests.events.count == (isReachable ? 1 : 0))
  }
}
