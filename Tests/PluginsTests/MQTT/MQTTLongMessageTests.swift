// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Glibc
import MQTTClient
import Positioning
import SystemSupport
import Testing

@testable import Plugins

@Suite("Long messages for the MQTT sink", .timeLimit(.minutes(5)))
struct MQTTLongMessageTests {
  /// A broker that answers each subscription with a message of 200 MB, or with 300,000 SUBACKs.
  ///
  /// The argument `acks` selects the SUBACKs. It prints its port, and then the number of the connection and the topic of each message.
  private static let hostileBroker = """
    import socket, struct, sys, threading
    server = socket.create_server(("127.0.0.1", 0))
    print(server.getsockname()[1], flush=True)
    def read(client, count):
        data = b""
        while len(data) < count:
            part = client.recv(count - len(data))
            if not part: raise ConnectionError()
            data += part
        return data
    def serve(client, number):
        try:
            while True:
                kind, length, shift, digit = read(client, 1)[0], 0, 0, 128
                while digit & 128:
                    digit = read(client, 1)[0]
                    length |= (digit & 127) << shift; shift += 7
                body = read(client, length)
                if kind >> 4 == 1: client.sendall(bytes([0x20, 2, 0, 0]))
                elif kind >> 4 == 3:
                    size = struct.unpack(">H", body[:2])[0]
                    print(number, body[2:2 + size].decode(), flush=True)
                    client.sendall(bytes([0x40, 2]) + body[2 + size:4 + size])
                elif kind >> 4 == 8:
                    size = struct.unpack(">H", body[2:4])[0]
                    topic = body[2:4 + size]
                    client.sendall(bytes([0x90, 3]) + body[:2] + bytes([0]))
                    if sys.argv[1:] == ["acks"]:
                        client.sendall((bytes([0x90, 3]) + body[:2] + bytes([0])) * 300_000)
                        continue
                    total = 200_000_000
                    client.sendall(bytes([0x30] + [total >> 7 * i & 127 | 128 for i in range(3)] + [total >> 21]) + topic)
                    for _ in range(total // 65_536): client.sendall(bytes(65_536))
                elif kind >> 4 == 12: client.sendall(bytes([0xD0, 0]))
        except OSError: pass
    number = 0
    while True:
        client, _ = server.accept(); number += 1
        threading.Thread(target=serve, args=(client, number), daemon=True).start()
    """

  private static let reason = "the broker sent more than 524288 bytes without a complete message"

  /// Returns the largest resident memory of this process in kilobytes.
  static func peakKilobytes() throws -> Int {
    let status = try #require(BoundedFile.text("/proc/self/status"))
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) })
  }

  @Test(.enabled(if: access("/usr/bin/python3", X_OK) == 0))
  func `a message of 200 MB ends the connection without using memory, and positions continue after it`() async throws {
    // In a process of its own, since other tests use memory, too.
    await #expect(processExitsWith: .success) {
      try await ChildProcess.use(
        path: "/usr/bin/python3", arguments: ["-c", MQTTLongMessageTests.hostileBroker]
      ) { broker in
        let port = try #require(await broker.lines.wait(for: 1).first.flatMap { UInt16($0) })
        let test = try MQTTTestSink(port: port, [SettingEntry("homeassistant", .boolean(true))])
        try await test.sink.start()
        let before = try MQTTLongMessageTests.peakKilobytes()
        await test.log.wait { $0.contains { $0.contains("connected to") } }
        let lines = await test.log.wait { lines in
          lines.contains { $0.contains("not subscribing to homeassistant/status for an hour") }
        }
        #expect(lines.contains { $0.contains(MQTTLongMessageTests.reason) }, "\(lines)")
        await broker.lines.wait { $0.contains("2 fixcast/van/position") }
        // Pages of the program that run for the first time count, too: up to 10 MB in a debug build.
        let grown = try MQTTLongMessageTests.peakKilobytes() - before
        #expect(grown < 32_768, "\(grown) kB")
        await test.sink.stop()
      }
    }
  }

  @Test(.enabled(if: access("/usr/bin/python3", X_OK) == 0))
  func `the reason is true for a flood of packets that are not messages`() async throws {
    try await ChildProcess.use(path: "/usr/bin/python3", arguments: ["-c", Self.hostileBroker, "acks"]) { broker in
      let port = try #require(await broker.lines.wait(for: 1).first.flatMap { UInt16($0) })
      let test = try MQTTTestSink(port: port, [SettingEntry("homeassistant", .boolean(true))])
      try await test.sink.start()
      let lines = await test.log.wait { lines in
        lines.contains { $0.contains("not subscribing to homeassistant/status for an hour") }
      }
      #expect(lines.contains { $0.contains(Self.reason) }, "\(lines)")
      await test.sink.stop()
    }
  }

  @Test(.enabled(if: MQTTTestBroker.isInstalled, "needs mosquitto: make test-deps"))
  func `a retained message of 20 MB at mosquitto does not keep positions from the broker`() async throws {
    let folder = try ScratchFolder()
    let broker = try MQTTTestBroker(folder)
    try folder.write("long", String(repeating: "x", count: 20_000_000))
    try await broker.use { _ in
      let (lines, code) = try await ChildProcess.run(
        path: "/usr/bin/mosquitto_pub",
        arguments: [
          "-h", "127.0.0.1", "-p", "\(broker.port)", "-q", "1", "-r", "-t", "homeassistant/status",
          "-f", folder.path + "/long",
        ])
      #expect(code == 0, "\(lines)")
      try await broker.subscribe(to: "fixcast/van/position") { subscriber in
        let test = try MQTTTestSink(port: broker.port, [SettingEntry("homeassistant", .boolean(true))])
        try await test.sink.start()
        await test.log.wait { lines in
          lines.contains { $0.contains("not subscribing to homeassistant/status for an hour") }
        }
        await test.waitForConnection(2)
        try await test.send(7)
        await subscriber.lines.wait { lines in lines.contains { $0.contains(#""longitude":0.007"#) }
        }
        await test.sink.stop()
      }
    }
  }

  @Test func `a connection subscribes again an hour after a message that is too long`() {
    let tooLong = MQTTFailure("the broker sent too much", wasTooLong: true)
    let refused = MQTTFailure("Connection refused")
    var subscriptions = MQTTSubscriptions(["a", "b"])
    #expect(subscriptions.failure(refused, now: .at(0)) == refused)
    #expect(subscriptions.topics(at: .at(0)) == ["a", "b"])
    #expect(
      subscriptions.failure(tooLong, now: .at(10)).text
        == "the broker sent too much; not subscribing to a, b for an hour")
    #expect(subscriptions.topics(at: .at(3609)).isEmpty)
    // A broker that sends messages without a subscription does not prolong the pause.
    #expect(subscriptions.failure(tooLong, now: .at(3000)) == tooLong)
    #expect(subscriptions.topics(at: .at(3611)) == ["a", "b"])
  }
}
