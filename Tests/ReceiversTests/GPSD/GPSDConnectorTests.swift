// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Positioning
import SystemSupport
import Testing

@testable import Receivers

/// Connections on loopback to servers that do not answer, refuse, or are not gpsd.
@Suite(.timeLimit(.minutes(5))) struct GPSDConnectorTests {
  private func addresses(_ host: String, _ port: UInt16) throws -> [SocketAddress] {
    try SocketAddress.resolve(try #require(GPSDAddress(host: host, port: port)))
  }

  @Test func `connecting to a port with a full queue times out`() async throws {
    let listener = try FullListener()
    defer { listener.close() }
    let began = MonotonicTime.now()
    #expect(throws: GPSDConnectionError.noAnswer(milliseconds: 300, isLoopback: true)) {
      try GPSDConnector(timeoutNanoseconds: 300_000_000)
        .connect(to: addresses("127.0.0.1", listener.port))
    }
    let seconds = MonotonicTime.now().seconds(since: began)
    // Without the timeout the kernel would wait for minutes.
    #expect(seconds >= 0.3, "\(seconds)")
  }

  @Test func `a connector uses the second address if the first does not answer`() async throws {
    let listener = try FullListener()
    defer { listener.close() }
    let gpsd = try ScriptedGPSD()
    defer { gpsd.stop() }
    let pair = try addresses("127.0.0.1", listener.port) + addresses("127.0.0.1", gpsd.port)
    let socket = try #require(try GPSDConnector().connect(to: pair))
    defer { close(socket) }
    await gpsd.arrivals.wait(for: 1)
    #expect(listener.waitingCount <= 3, "no connections other than this test's may be waiting")
  }

  @Test func `a source reports in time that gpsd does not accept the connection`() async throws {
    let listener = try FullListener()
    defer { listener.close() }
    var options = GPSDSession.Options()
    options.connectNanoseconds = 200_000_000
    let address = try #require(GPSDAddress(host: "127.0.0.1", port: listener.port))
    let events = EventRecorder<FixSourceEvent>()
    let running = Task {
      try await GPSDSource(address: address, options: options).run { events.record($0) }
    }
    let received = await events.wait(for: 1)
    running.cancel()
    try await running.value
    #expect(received.map(\.kind) == ["lost unreachable"])
    let text = received.first?.loss?.detail
    #expect(text?.hasPrefix("connection not accepted within 0.2 s") == true)
  }

  @Test func `a connector opens one connection to gpsd, on which requests are sent`() async throws {
    let gpsd = try ScriptedGPSD()
    defer { gpsd.stop() }
    let socket = try #require(
      try GPSDConnector().connect(to: addresses("127.0.0.1", gpsd.port)))
    let connection = try LibGPS(adopting: socket)
    let descriptor = connection.descriptor
    #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
    let isSent = connection.watch(device: nil)
    #expect(isSent)
    let requests = await gpsd.requests.wait(for: 1)
    #expect(requests.first?.hasPrefix("?WATCH=") == true)
    #expect(gpsd.arrivals.events.count == 1)
  }

  @Test(
    arguments: [
      ("SSH-2.0-OpenSSH_9.2p1", nil, #""SSH-2.0-OpenSSH_9.2p1""#),
      (nil, "HTTP/1.1 400 Bad Request", #""HTTP/1.1 400 Bad Request""#),
    ] as [(String?, String?, String)])
  func `a reported loss quotes the data that a server other than gpsd sends`(
    greeting: String?, answer: String?, quoted: String
  ) async throws {
    var automaticReplies = ScriptedGPSD.AutomaticReplies()
    automaticReplies.greeting = greeting
    let server = try ScriptedGPSD(automaticReplies: automaticReplies)
    defer { server.stop() }
    var options = GPSDSession.Options()
    options.versionRequestNanoseconds = 50_000_000
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
    let received = await events.wait(for: 1)
    running.cancel()
    try await running.value
    #expect(received.map(\.kind) == ["lost incompatible"])
    let text = received.first?.loss?.detail
    #expect(text?.hasPrefix("not a gpsd server: it sent \(quoted)") == true, "\(text ?? "")")
  }

  @Test func `the text of every temporary gpsd failure has a remedy and no errno`() {
    let errors: [GPSDConnectionError] = [
      .unresolvedName("Name or service not known"), .refused(isLoopback: true),
      .refused(isLoopback: false), .noAnswer(milliseconds: 4000, isLoopback: true),
      .noAnswer(milliseconds: 4000, isLoopback: false), .network(errorNumber: EHOSTUNREACH),
      .library("out of memory"), .noGreeting(milliseconds: 10_000), .otherServer("\"SSH\""),
      .closedBeforeGreeting, .version(release: "9", protocolMajor: 4), .fixcast,
      .disconnected, .unresponsive,
    ]
    for error in errors {
      let advice = ["check ", "sudo ", "systemctl ", "upgrade ", "give "]
      #expect(advice.contains(where: error.text.contains), "\(error.text)")
      #expect(!error.text.contains("errno") && !error.text.contains("\n"), "\(error.text)")
    }
    #expect(GPSDConnectionError.refused(isLoopback: false).text.contains("-G"))
  }

  @Test func `the text of a permanent gpsd failure has the address of gpsd and a remedy`() throws {
    let address = try #require(GPSDAddress(host: "::1", port: 2950))
    let failure = SystemCallFailure(call: "socketpair", number: EMFILE)
    for error in [GPSDError.device("a b", address: address), GPSDError(failure, address: address)] {
      #expect("\(error)".hasPrefix("gpsd:[::1]:2950: "))
      #expect("\(error)".contains("use ") || "\(error)".contains("raise "))
    }
  }
}
