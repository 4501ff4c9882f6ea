// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Positioning
import SystemSupport
import Testing

@testable import Receivers

/// Connections to what does not answer, refuses, or is no gpsd, on loopback.
@Suite(.timeLimit(.minutes(5))) struct GPSDConnectorTests {
  private func addresses(_ host: String, _ port: UInt16) throws -> [SocketAddress] {
    try SocketAddress.resolve(try #require(GPSDAddress(host: host, port: port)))
  }

  @Test func `a port that takes no connection is given up when the time is over`() async throws {
    let listener = try FullListener()
    defer { listener.close() }
    let began = MonotonicTime.now()
    #expect(throws: GPSDTrouble.noAnswer(milliseconds: 300, isLoopback: true)) {
      try GPSDConnector(patienceNanoseconds: 300_000_000)
        .connect(to: addresses("127.0.0.1", listener.port))
    }
    let seconds = MonotonicTime.now().seconds(since: began)
    // The kernel alone would let it wait for minutes.
    #expect(seconds >= 0.3, "\(seconds)")
  }

  @Test func `an address that answers is found behind one that does not`() async throws {
    let listener = try FullListener()
    defer { listener.close() }
    let gpsd = try ScriptedGPSD()
    defer { gpsd.stop() }
    let both = try addresses("127.0.0.1", listener.port) + addresses("127.0.0.1", gpsd.port)
    let socket = try #require(try GPSDConnector().connect(to: both))
    defer { close(socket) }
    await gpsd.arrivals.wait(for: 1)
    #expect(listener.waitingCount <= 3, "those of the test alone are left waiting")
  }

  @Test func `a source says in time that nobody answers, and goes on trying`() async throws {
    let listener = try FullListener()
    defer { listener.close() }
    var options = GPSDSession.Options()
    options.connectNanoseconds = 200_000_000
    let address = try #require(GPSDAddress(host: "127.0.0.1", port: listener.port))
    let events = EventRecorder<FixSourceEvent>()
    let running = Task {
      try await GPSDSource(address: address, options: options).run { events.record($0) }
    }
    let heard = await events.wait(for: 1)
    running.cancel()
    try await running.value
    #expect(heard.map(\.kind) == ["lost unreachable"])
    let text = heard.first?.loss?.detail
    #expect(text?.hasPrefix("connection not accepted within 0.2 s") == true)
  }

  @Test func `gpsd sees one connection, and it is the one that carries the words`() async throws {
    let gpsd = try ScriptedGPSD()
    defer { gpsd.stop() }
    let socket = try #require(
      try GPSDConnector().connect(to: addresses("127.0.0.1", gpsd.port)))
    let connection = try LibGPS(adopting: socket)
    let descriptor = connection.descriptor
    #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
    let isAsked = connection.watch(device: nil)
    #expect(isAsked)
    let requests = await gpsd.requests.wait(for: 1)
    #expect(requests.first?.hasPrefix("?WATCH=") == true)
    #expect(gpsd.arrivals.events.count == 1)
  }

  @Test(
    arguments: [
      ("SSH-2.0-OpenSSH_9.2p1", nil, #""SSH-2.0-OpenSSH_9.2p1""#),
      (nil, "HTTP/1.1 400 Bad Request", #""HTTP/1.1 400 Bad Request""#),
    ] as [(String?, String?, String)])
  func `a server of another kind is told by its own words`(
    greeting: String?, answer: String?, quoted: String
  ) async throws {
    var manners = ScriptedGPSD.Manners()
    manners.greeting = greeting
    let server = try ScriptedGPSD(manners: manners)
    defer { server.stop() }
    var options = GPSDSession.Options()
    options.askNanoseconds = 50_000_000
    let address = try #require(GPSDAddress(host: "127.0.0.1", port: server.port))
    let events = EventRecorder<FixSourceEvent>()
    let running = Task {
      try await GPSDSource(address: address, options: options).run { events.record($0) }
    }
    if let answer {
      let requests = await server.requests.wait(for: 1)
      #expect(requests.first == "?VERSION")
      server.send(answer)
    }
    let heard = await events.wait(for: 1)
    running.cancel()
    try await running.value
    #expect(heard.map(\.kind) == ["lost incompatible"])
    let text = heard.first?.loss?.detail
    #expect(text?.hasPrefix("not a gpsd server: it sent \(quoted)") == true, "\(text ?? "")")
  }

  @Test func `every trouble says what to do, and names no developer's word`() {
    let troubles: [GPSDTrouble] = [
      .name("Name or service not known"), .refused(isLoopback: true), .refused(isLoopback: false),
      .noAnswer(milliseconds: 4000, isLoopback: true),
      .noAnswer(milliseconds: 4000, isLoopback: false), .network(errorNumber: EHOSTUNREACH),
      .library("out of memory"), .noGreeting(milliseconds: 10_000), .stranger("\"SSH\""), .hungUp,
      .version(release: "9", protocolMajor: 4), .left, .mute,
    ]
    for trouble in troubles {
      let advice = ["Check ", "sudo ", "systemctl ", "Look for "]
      #expect(advice.contains(where: trouble.text.contains), "\(trouble.text)")
      #expect(!trouble.text.contains("errno") && !trouble.text.contains("\n"), "\(trouble.text)")
    }
    #expect(GPSDTrouble.refused(isLoopback: false).text.contains("-G"))
  }

  @Test func `an error says where it is`() throws {
    let address = try #require(GPSDAddress(host: "::1", port: 2950))
    let failure = SystemCallFailure(call: "socketpair", number: EMFILE)
    for error in [GPSDError.device("a b", address: address), GPSDError(failure, address: address)] {
      #expect("\(error)".hasPrefix("gpsd:[::1]:2950: "))
      #expect("\(error)".contains("Give ") || "\(error)".contains("Raise "))
    }
  }
}
