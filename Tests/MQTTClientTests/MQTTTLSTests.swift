// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import NIOCore
import NIOPosix
import SystemSupport
import Testing

@testable import MQTTClient

@Suite("TLS of MQTT connections", .timeLimit(.minutes(5)))
struct MQTTTLSTests {
  /// Runs a TLS server whose certificate for `localhost` is self-signed, and connects to it.
  ///
  /// - Parameters:
  ///   - folder: The folder of the certificate.
  ///   - trusts: Whether the client trusts the certificate.
  ///   - accept: The Python code for a connection `client`.
  ///   - last: The last line of the server, after the event loop was shut down; `nil` for none.
  ///   - body: Uses the connection.
  /// - Throws: The error of `body`, or of the files of the certificate.
  private static func use(
    _ folder: borrowing ScratchFolder, trusts: Bool, accept: String, last: String? = nil,
    _ body: (MQTTConnection, EventRecorder<MQTTEvent>, ChildProcess) async throws -> Void
  ) async throws {
    let path = folder.path
    let make = """
      exec 2>\(path)/openssl.log
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout \(path)/server.key \\
        -out \(path)/server.pem -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1
      """
    let made = try await ChildProcess.run(path: "/bin/sh", arguments: ["-c", make])
    try #require(made.code == 0, "\(made.lines)")
    let server = """
      import socket, ssl, warnings
      warnings.simplefilter("ignore")
      context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
      context.load_cert_chain("\(path)/server.pem", "\(path)/server.key")
      server = socket.create_server(("127.0.0.1", 0))
      print(server.getsockname()[1], flush=True)
      count = 0
      while True:
          client = server.accept()[0]
          count += 1
          try:
      \(accept.split(separator: "\n").map { "        \($0)" }.joined(separator: "\n"))
          except OSError: print("failed", flush=True)
      """
    try await ChildProcess.use(path: "/usr/bin/python3", arguments: ["-c", server]) { child in
      let port = try #require(await child.lines.wait(for: 1).first)
      let address = try #require(BrokerAddress("mqtts://127.0.0.1:\(port)"))
      let tls = try MQTTTLS(caFile: trusts ? path + "/server.pem" : nil).context()
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      let (events, loop) = (EventRecorder<MQTTEvent>(), group.next())
      let connection = try await loop.submit {
        let settings = MQTTConnectionState.Settings(connect: .init(clientID: "c"))
        return MQTTConnection(address, tls: tls, settings, on: loop) { for event in $0 { events.record(event) } }
      }.get()
      try await body(connection, events, child)
      connection.close()
      await events.wait { if case .ended = $0.last { true } else { false } }
      try await group.shutdownGracefully()
      if let last { await child.lines.wait { $0.last == last } }
    }
  }

  @Test(arguments: ["TLSv1_1", "TLSv1_2"])
  func `only TLS 1.2 and later versions are accepted`(version: String) async throws {
    let folder = try ScratchFolder()
    let accept = """
      context.set_ciphers("ALL:@SECLEVEL=0")
      context.minimum_version = context.maximum_version = ssl.TLSVersion.\(version)
      client = context.wrap_socket(client, server_side=True)
      client.recv(1000)
      client.sendall(bytes([0x20, 2, 0, 0]))
      client.recv(1000)
      """
    try await Self.use(folder, trusts: true, accept: accept) { _, events, _ in
      let all = await events.wait { events in
        events.contains { if case .ended = $0 { true } else { $0 == .accepted } }
      }
      #expect(all.contains(.accepted) == (version == "TLSv1_2"), "\(all)")
    }
  }

  @Test func `closing ends the second connection that reads a rejected certificate`() async throws {
    let folder = try ScratchFolder()
    let accept = """
      if count == 1: context.wrap_socket(client, server_side=True)
      print("reading", flush=True)
      while client.recv(1000): pass
      print("closed", flush=True)
      """
    try await Self.use(folder, trusts: false, accept: accept, last: "closed") { connection, events, server in
      await server.lines.wait { $0.last == "reading" }
      connection.close()
      let all = await events.wait { if case .ended = $0.last { true } else { false } }
      #expect(all.last == .ended(.closedLocally))
    }
  }
}
