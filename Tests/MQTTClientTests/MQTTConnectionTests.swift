// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import NIOCore
import NIOPosix
import SystemSupport
import Testing

@testable import MQTTClient

@Suite(
  "MQTT connections and mosquitto", .timeLimit(.minutes(5)),
  .enabled(if: access("/usr/sbin/mosquitto", X_OK) == 0, "needs mosquitto: make test-deps"))
struct MQTTConnectionTests {
  /// Connects, and returns the connection with its events.
  private static func connect(
    _ address: String, tls: MQTTTLS? = nil, _ change: (inout MQTTConnectionState.Settings) -> Void = { _ in }
  ) async throws -> (connection: MQTTConnection, events: EventRecorder<MQTTEvent>) {
    let broker = try #require(BrokerAddress(address))
    let context = try tls?.context()
    var settings = MQTTConnectionState.Settings(connect: .init(clientID: "c", isCleanSession: true))
    settings.names = .options
    change(&settings)
    let (events, loop) = (EventRecorder<MQTTEvent>(), MultiThreadedEventLoopGroup.singleton.next())
    let connection = try await loop.submit { [settings] in
      MQTTConnection(broker, tls: context, settings, on: loop) { for event in $0 { events.record(event) } }
    }.get()
    return (connection, events)
  }

  /// Returns why a connection ended.
  private static func failure(_ events: EventRecorder<MQTTEvent>) async -> MQTTFailure? {
    let all = await events.wait { if case .ended = $0.last { true } else { false } }
    return if case .ended(let failure) = all.last { failure } else { nil }
  }

  @Test func `a client gets its own message over TLS, and the certificate and the password are checked`() async throws {
    let folder = try ScratchFolder()
    let path = folder.path
    try await SecureBroker.use(folder) { port in
      let address = "mqtts://localhost:\(port)"
      let tls = MQTTTLS(caFile: path + "/server.pem")
      let (connection, events) = try await Self.connect(address, tls: tls) {
        ($0.connect.username, $0.connect.password, $0.filters) = ("fleet", "zebra", ["a"])
      }
      await events.wait { $0.contains(.subscribed) }
      connection.send([.publish(.init(topic: "a", payload: [7], id: 3))])
      let all = await events.wait { $0.count >= 5 }
      #expect(Array(all.prefix(3)) == [.opened, .accepted, .subscribed])
      #expect(all.contains(.acknowledged(id: 3)))
      #expect(
        all.contains {
          if case .message(let message) = $0 { message.payload == [7] && message.id != nil } else { false }
        }
      )
      connection.close()
      #expect(await Self.failure(events) == MQTTFailure("this program closed the connection"))

      let (_, refused) = try await Self.connect(address, tls: tls) {
        ($0.connect.username, $0.connect.password) = ("fleet", "giraffe")
      }
      #expect(await Self.failure(refused) == MQTTFailure(connackCode: 5))

      let (_, rejected) = try await Self.connect(address, tls: MQTTTLS(caFile: path + "/other.pem"))
      let text = await Self.failure(rejected)?.text ?? ""
      #expect(text.hasPrefix("TLS: the certificate is for localhost, issued by localhost, valid from "), "\(text)")
      let advice = ": this board does not trust the issuer (self-signed certificate); set --tls-ca-file to "
      #expect(text.contains(advice), "\(text)")

      // The certificate is not for the address.
      let (_, other) = try await Self.connect("mqtts://127.0.0.1:\(port)", tls: tls)
      let name = await Self.failure(other)?.text ?? ""
      #expect(name.hasSuffix("; if that is the broker: set --broker to mqtts://localhost:\(port)"), "\(name)")
    }
  }

  @Test func `a broker that is away or closes the connection is named in one line`() async throws {
    let reserved = try ReservedPort()
    let (_, events) = try await Self.connect("mqtt://127.0.0.1:\(reserved.number)")
    #expect(await Self.failure(events) == MQTTFailure("Connection refused"))
    let (_, named) = try await Self.connect("mqtt://localhost:\(reserved.number)")
    #expect(await Self.failure(named) == MQTTFailure("Connection refused"))
    reserved.release()
    let server = """
      import socket
      server = socket.create_server(("127.0.0.1", 0))
      print(server.getsockname()[1], flush=True)
      while True: server.accept()[0].close()
      """
    try await ChildProcess.use(path: "/usr/bin/python3", arguments: ["-c", server]) { closing in
      let port = try #require(await closing.lines.wait(for: 1).first)
      for scheme in ["mqtt", "mqtts"] {
        let tls = scheme == "mqtts" ? MQTTTLS() : nil
        let (_, events) = try await Self.connect("\(scheme)://127.0.0.1:\(port)", tls: tls)
        #expect(await Self.failure(events) == .closed, "\(scheme)")
      }
    }
  }

  @Test func `a broker that sends messages and reads no PUBACK cannot fill the memory`() async throws {
    // In a process of its own, since other tests use memory, too.
    await #expect(processExitsWith: .success) {
      let server = """
        import socket
        server = socket.socket()
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        server.bind(("127.0.0.1", 0)); server.listen()
        print(server.getsockname()[1], flush=True)
        client = server.accept()[0]
        client.recv(1000)
        client.sendall(bytes([0x20, 2, 0, 0]))
        try:
            while True: client.sendall(bytes([0x32, 6, 0, 1, 97, 0, 1, 7]) * 8192)
        except OSError: pass
        """
      try await ChildProcess.use(path: "/usr/bin/python3", arguments: ["-c", server]) { flood in
        let port = try #require(await flood.lines.wait(for: 1).first)
        let address = try #require(BrokerAddress("mqtt://127.0.0.1:\(port)"))
        let (ended, end) = AsyncStream<MQTTFailure>.makeStream()
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        try await loop.submit {
          var connection: MQTTConnection?
          let settings = MQTTConnectionState.Settings(connect: .init(clientID: "c", keepAliveSeconds: 2))
          connection = MQTTConnection(address, tls: nil, settings, on: loop) { events in
            let acknowledgements = events.compactMap { event in
              if case .message(let message) = event { message.id.map { MQTTPacket.puback(id: $0) } } else { nil }
            }
            connection?.send(acknowledgements)
            if case .ended(let failure) = events.last { end.yield(failure) }
          }
        }.get()
        #expect(await ended.first { _ in true } == .silence)
        let pages = BoundedFile.text("/proc/self/statm")?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        #expect(try #require(pages) * Int(sysconf(Int32(_SC_PAGESIZE))) < 256 << 20)
      }
    }
  }

  @Test func `a file that cannot be read is named`() throws {
    let folder = try ScratchFolder()
    try folder.write("empty.pem", "")
    for (file, reason) in [
      ("none.pem", "No such file or directory"), ("empty.pem", "not a PEM file"),
    ] {
      let path = folder.path + "/" + file
      #expect(throws: MQTTFailure("\(path): cannot be read: \(reason)")) { try MQTTTLS(caFile: path).context() }
    }
  }
}
