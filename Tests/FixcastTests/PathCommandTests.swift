// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

/// `fixcast path` as its user runs it, and the gate it is for, on boards of the tests' own.
@Suite(
  .enabled(if: NetworkNamespace.isPermitted, "network namespaces are not permitted here"),
  .timeLimit(.minutes(1)), .serialized)
struct PathCommandTests {
  /// A board on a cable, and the internet behind it, which is one server.
  private struct Lab {
    let board = NetworkNamespace()
    let isp = NetworkNamespace()

    init(connected: Bool = true) {
      board.ip("link set lo up")
      isp.ip("link set lo up")
      guard connected else { return }
      board.lay("wan0", to: "isp0", in: isp)
      isp.ip("addr add 198.51.100.1/24 dev isp0")
      isp.ip("addr add 203.0.113.10/32 dev lo")
      isp.ip("link set isp0 up")
      board.ip("addr add 198.51.100.2/24 dev wan0")
      board.ip("link set wan0 up")
      addRoute()
    }

    func addRoute() { board.ip("route add default via 198.51.100.1") }
    func removeRoute() { board.ip("route del default") }

    /// Starts the program on the board.
    func use<Value>(
      _ arguments: [String], isolation: isolated (any Actor)? = #isolation,
      _ body: (ChildProcess) async throws -> Value
    ) async throws -> Value {
      let words = board.command([Program.path] + arguments)
      return try await ChildProcess.use(path: words[0], arguments: Array(words.dropFirst()), body)
    }

    /// Runs the program on the board to its end.
    func run(_ arguments: String...) async throws -> (lines: [String], code: Int32) {
      try await use(arguments) {
        let status = await $0.wait()
        return ($0.lines.events, status >> 8 & 0xFF)
      }
    }
  }

  @Test("says that there is a way out, over what, and that it is not metered")
  func wayOut() async throws {
    let lab = Lab()
    let (lines, code) = try await lab.run("path")
    #expect(code == 0)
    #expect(lines.contains("status      satisfied"))
    #expect(lines.contains("interfaces  wan0 (virtual)"))
    #expect(lines.contains("families    IPv4"))
    #expect(lines.contains("metered     no"))
  }

  @Test("says why there is none, in the object of the pipeline too, and exits 69")
  func noWayOut() async throws {
    let lab = Lab()
    lab.removeRoute()
    let (lines, code) = try await lab.run("path", "--json")
    #expect(code == 69)
    #expect(
      lines.first
        == #"{"class":"PATH","status":"unsatisfied","reason":"noDefaultRoute","#
        + #""interfaces":["wan0"],"expensive":false,"constrained":false}"#)
    #expect(lines.last?.hasPrefix("fixcast: no way out: no route to where it should go") == true)
  }

  @Test("without any interface, a host on the board itself and one on the network differ")
  func destinations() async throws {
    let lab = Lab(connected: false)
    #expect(try await lab.run("path").code == 69)
    #expect(try await lab.run("path", "--to", "localhost").code == 0)
    #expect(try await lab.run("path", "--to", "198.51.100.9").code == 69)
  }

  @Test("a host on the local network needs no default route")
  func localHost() async throws {
    let lab = Lab()
    lab.removeRoute()
    #expect(try await lab.run("path", "--to", "198.51.100.9").code == 0)
    #expect(try await lab.run("path", "--to", "203.0.113.10").code == 69)
  }

  @Test("watches until it is told to stop")
  func watch() async throws {
    let lab = Lab()
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
    let lab = Lab()
    let server = try HTTPStandIn(
      in: lab.isp, status: status, headers: ["Location: http://203.0.113.10/login"])
    if fault == "stopped" { server.stop() }
    if fault == "blackhole" { lab.isp.ip("route add blackhole 198.51.100.2/32") }
    defer { server.stop() }
    let (lines, exit) = try await lab.run(
      "path", "--json", "--timeout", "0.5", "--verify", "http://203.0.113.10/generate_204")
    #expect(exit == code)
    #expect(lines.first?.contains(#""status":"satisfied""#) == true)
    #expect(lines.dropFirst().first?.contains(object) == true, "\(lines)")
    #expect(server.requests.events == (fault == nil ? ["GET /generate_204 HTTP/1.1"] : []))
  }

  @Test("a URL without a host, and a watch that verifies, are wrong usage")
  func wrongUsage() async throws {
    #expect(try await Program.run("path", "--verify", "http://").code == 64)
    #expect(try await Program.run("path", "--timeout", "0").code == 64)
    #expect(
      try await Program.run("path", "--watch", "--verify", "http://127.0.0.1/").code == 64)
  }

  private static let weather = """
    {"latitude":54,"longitude":10,"utc_offset_seconds":0,
    "current_units":{"temperature_2m":"°C","wind_speed_10m":"m/s","precipitation":"mm"},
    "current":{"time":1795246200,"interval":900,"temperature_2m":11.4}}
    """

  /// One epoch of a drive north.
  private func epoch(_ index: Int) -> String {
    let sentence =
      "GPRMC,1047\(index + 10),A,540\(index / 10).\(index % 10)000,N,01049.4791,E,20.0,0.0,240709,,,A"
    let sum = sentence.utf8.reduce(0, ^)
    return "$\(sentence)*" + (sum < 16 ? "0" : "") + String(sum, radix: 16, uppercase: true)
      + "\r\n"
  }

  @Test("a replay whose route goes mid-drive holds, says why, and then asks once for the newest")
  func replay() async throws {
    let lab = Lab()
    let server = try HTTPStandIn(in: lab.isp, body: Self.weather)
    defer { server.stop() }
    // A named pipe is a log that goes on while the test wants it to.
    let log = "/tmp/\(lab.board.name).nmea"
    #expect(mkfifo(log, 0o600) == 0)
    defer { unlink(log) }
    let pipe = open(log, O_RDWR | O_CLOEXEC)
    func drive(_ epochs: Range<Int>) {
      let text = Array(epochs.map(epoch).joined().utf8)
      #expect(write(pipe, text, text.count) == text.count)
    }
    let lines = try await lab.use(
      ["replay", log, "--speed", "100", "--json", "--weather-url", "http://203.0.113.10"]
    ) { program in
      // The end of the log, and so of the program.
      defer { close(pipe) }
      await program.lines.wait(until: { $0.contains { $0.contains(#""status":"satisfied""#) } })
      lab.removeRoute()
      await program.lines.wait(until: { $0.contains { $0.contains(#""status":"unsatisfied""#) } })
      drive(0..<20)
      await program.lines.wait(until: { lines in
        lines.contains { $0.contains(#""verdict":"held","reason":"noDefaultRoute""#) }
          && lines.contains { $0.contains(#""lat":54.03"#) }
      })
      drive(20..<30)
      await program.lines.wait(until: { lines in
        lines.contains { $0.contains(#""lat":54.046666667"#) }
      })
      #expect(server.requests.events.isEmpty)
      lab.addRoute()
      return await program.lines.wait(until: { $0.contains { $0.contains("WEATHER") } })
    }
    #expect(lines.contains { $0.contains(#""verdict":"passed""#) && !$0.contains(#""held":1}"#) })
    // Rounded to hundredths of a degree, as every question to the provider.
    #expect(server.requests.events.count == 1)
    #expect(server.requests.events.first?.contains("latitude=54.05&") == true)
  }
}
