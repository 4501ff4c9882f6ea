// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Logging
import Positioning
import SQLiteStore
import SystemSupport
import Testing

@testable import Plugins

/// A worker that reaches its broker through a proxy with faults.
@Suite(
  "MQTT through a faulty network", .timeLimit(.minutes(5)),
  .enabled(if: MQTTTestBroker.isInstalled, "needs mosquitto: make test-deps"))
struct MQTTProxyTests {
  /// A TCP proxy with a fault.
  ///
  /// `drip` forwards single bytes; `cut` closes each of the first 5 connections after
  /// 300 bytes; `stall` stops forwarding on the first 2 connections after 200 bytes; `cut-all`
  /// closes each connection after 200,000 bytes.
  private static let proxy = """
    import socket, sys, threading
    port, mode = int(sys.argv[1]), sys.argv[2]
    server = socket.create_server(("127.0.0.1", 0))
    print(server.getsockname()[1], flush=True)
    count = 0
    def forward(source, target, number, is_client):
        total = 0
        try:
            while data := source.recv(4096):
                for byte in (data[i:i+1] for i in range(len(data))) if mode == "drip" else [data]:
                    target.sendall(byte)
                total += len(data)
                if is_client and mode == "cut" and number <= 5 and total > 300: break
                if is_client and mode == "cut-all" and total > 200_000: break
                if is_client and mode == "stall" and number <= 2 and total > 200:
                    source.recv(0); threading.Event().wait(3600)
        except OSError: pass
        for end in (source, target):
            try: end.shutdown(socket.SHUT_RDWR)
            except OSError: pass
    while True:
        client, _ = server.accept(); count += 1
        try: broker = socket.create_connection(("127.0.0.1", port))
        except OSError: client.close(); continue
        for end in (client, broker): end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for a, b, c in ((client, broker, True), (broker, client, False)):
            threading.Thread(target=forward, args=(a, b, count, c), daemon=True).start()
    """

  @Test(arguments: ["drip", "cut", "stall"])
  func `the worker recovers, and no kept position is missing or out of order`(mode: String) async throws {
    let folder = try ScratchFolder()
    let broker = try MQTTTestBroker(folder)
    let outbox = folder.path + "/outbox.sqlite"
    try await broker.use { process in
      try await ChildProcess.use(
        path: "/usr/bin/python3", arguments: ["-c", Self.proxy, "\(broker.port)", mode]
      ) { proxy in
        let port = try #require(await proxy.lines.wait(for: 1).first)
        var limits = MQTTSession.Limits()
        limits.acknowledgementSeconds = 1
        limits.connectSeconds = 1
        limits.steadySeconds = 0
        limits.keptPerSecond = 1000
        let topics = MQTTTopics(prefix: "fixcast", board: "van")
        let worker = try MQTTWorker(
          .init(
            broker: try #require(MQTTBroker("mqtt://127.0.0.1:\(port)")), clientID: "van",
            availability: topics.availability, limits: limits),
          name: "mqtt", outbox: MQTTTrack(.init(path: outbox), topic: topics.track),
          logger: Logger(label: "t"), now: { MonotonicTime.now() })
        try await broker.subscribe(to: topics.track) { subscriber in
          await process.lines.wait { $0.contains { $0.hasSuffix(" 1 fixcast/van/track") } }
          worker.start()
          for _ in 1...100 {
            try worker.keep { track throws(SQLiteError) in
              try track.outbox.add(Array(#"{"fix":"3D"}"#.utf8), time: nil, now: nil)
            }
          }
          let lines = await subscriber.lines.wait { $0.contains { $0.contains(#":100,"#) } }
          let numbers = lines.compactMap { line in
            line.split(separator: #"{"sequence":"#).last.flatMap { Int($0.prefix { $0.isNumber }) }
          }
          var seen: Set<Int> = []
          #expect(numbers.filter { seen.insert($0).inserted } == Array(1...100))
        }
        await worker.stop()
      }
    }
  }

  @Test func `the memory of the worker stays flat over 12,000 messages and several cut connections`() async throws {
    // In a process of its own, since other tests use memory, too.
    await #expect(processExitsWith: .success) {
      let folder = try ScratchFolder()
      let broker = try MQTTTestBroker(folder, log: "notice\nlog_type information")
      try await broker.use { process in
        try await ChildProcess.use(
          path: "/usr/bin/python3",
          arguments: ["-c", MQTTProxyTests.proxy, "\(broker.port)", "cut-all"]
        ) { proxy in
          let port = try #require(await proxy.lines.wait(for: 1).first)
          var limits = MQTTSession.Limits()
          limits.steadySeconds = 0
          limits.keptPerSecond = 1e9
          let memory = EventRecorder<Int>()
          let worker = MQTTWorker(
            .init(
              broker: try #require(MQTTBroker("mqtt://127.0.0.1:\(port)")), clientID: "van",
              availability: "a", limits: limits),
            name: "mqtt", outbox: EndlessOutbox(memory: memory), logger: Logger(label: "t"),
            now: { MonotonicTime.now() })
          worker.start()
          let bytes = await memory.wait(for: 2)
          await worker.stop()
          #expect(bytes[1] - bytes[0] < 2 << 20, "\(bytes)")
          let connections = process.lines.events.count { $0.contains("New client connected") }
          #expect(connections > 3, "\(process.lines.events)")
        }
      }
    }
  }
}

/// An outbox that always has a next message and stores none.
///
/// It records the resident memory after 2,000 and 12,000 acknowledgements.
private struct EndlessOutbox: ~Copyable, MQTTKeptMessages {
  private let memory: EventRecorder<Int>
  private var acknowledgedCount = 0

  init(memory: EventRecorder<Int>) { self.memory = memory }

  mutating func next(after sequence: Int64) -> (sequence: Int64, message: MQTTMessage)? {
    let payload = [UInt8](repeating: 65, count: 100)
    return (sequence + 1, MQTTMessage(topic: "t", payload: payload, isRetained: false))
  }

  func undelivered() -> (count: Int, oldestAt: UTCTime?) { (0, nil) }

  mutating func remove(_ sequences: ClosedRange<Int64>) {
    acknowledgedCount += 1
    guard acknowledgedCount == 2000 || acknowledgedCount == 12_000 else { return }
    let pages = BoundedFile.text("/proc/self/statm")?.split(separator: " ").dropFirst().first
    memory.record((pages.flatMap { Int($0) } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))))
  }
}
