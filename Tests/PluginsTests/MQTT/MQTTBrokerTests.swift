// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Glibc
import Pipeline
import Positioning
import SQLiteStore
import Testing

@testable import Plugins

@Suite(
  "MQTT sink and mosquitto", .timeLimit(.minutes(5)),
  .enabled(if: MQTTTestBroker.isInstalled, "needs mosquitto: make test-deps"))
struct MQTTBrokerTests {
  @Test
  func `a later subscriber gets the newest state of each topic, with QoS 1, and offline at the end`() async throws {
    let folder = try ScratchFolder()
    let broker = try MQTTTestBroker(folder)
    try await broker.use { _ in
      let test = try MQTTTestSink(port: broker.port)
      try await test.sink.start()
      try await test.send(1)
      try await test.send(2)
      try await test.sink.receive(SkyEvent(SkyView(), device: "/dev/ttyACM0"))
      await test.waitForConnection()
      try await broker.subscribe { subscriber in
        let first = await subscriber.lines.wait { $0.contains { $0.hasPrefix("fixcast/van/sky") } }
        #expect(first.contains { $0.hasPrefix("fixcast/van/availability online 1 ") })
        await test.sink.stop()
        await subscriber.lines.wait { $0.contains("fixcast/van/availability offline 1 0") }
      }
      try await broker.subscribe { late in
        let lines = MQTTTestBroker.messages(
          await late.lines.wait { MQTTTestBroker.messages($0).count >= 4 })
        #expect(lines.allSatisfy { $0.hasSuffix(" 1 1") }, "\(lines)")
        #expect(lines.contains("fixcast/van/availability offline 1 1"))
        #expect(
          lines.contains(
            #"fixcast/van/position {"latitude":48.1,"longitude":0.002,"fix":"3D","#
              + #""time":"2026-11-21T12:00:02.000Z"} 1 1"#), "\(lines)")
      }
    }
  }

  @Test func `no kept position is missing, or out of order, after the broker was stopped twice`() async throws {
    let folder = try ScratchFolder()
    let broker = try MQTTTestBroker(folder)
    let test = try MQTTTestSink(
      port: broker.port, [SettingEntry("outbox", .string(folder.path + "/outbox.sqlite"))])
    try await test.sink.start()
    // The session of the subscriber, which the broker restores from its file. Mosquitto writes the
    // file after it has acknowledged, so a killed broker could lose what it has acknowledged.
    let session = ["-c", "-i", "recorder", "-x", "3600"]
    try await broker.use { process in
      try await broker.subscribe(to: "fixcast/van/track", options: session) { _ in
        _ = await process.lines.wait {
          $0.contains { $0.contains("recorder 1 fixcast/van/track") }
        }
      }
      await test.waitForConnection()
      for number in 1...30 { try await test.send(number) }
      process.send(SIGTERM)
      _ = await process.wait()
    }
    for number in 31...60 { try await test.send(number) }
    try await broker.use { process in
      await test.waitForConnection(2)
      for number in 61...90 { try await test.send(number) }
      process.send(SIGTERM)
      _ = await process.wait()
    }
    for number in 91...100 { try await test.send(number) }
    try await broker.use { _ in
      try await broker.subscribe(to: "fixcast/van/track", options: session) { subscriber in
        let lines = await subscriber.lines.wait { $0.contains { $0.contains(#""sequence":100,"#) } }
        let numbers = lines.compactMap { line in
          line.split(separator: #"{"sequence":"#).last?.prefix { $0.isNumber }
        }.compactMap { Int($0) }
        // QoS 1 repeats a message whose acknowledgement was lost; the number identifies it.
        var seen: Set<Int> = []
        let firsts = numbers.filter { seen.insert($0).inserted }
        #expect(firsts == Array(1...100))
        // At most the messages in flight at each of the two ends.
        #expect(numbers.count <= 100 + 2 * 16)
      }
      await test.sink.stop()
    }
  }

  @Test func `while the outbox cannot be written, positions are published without being kept`() async throws {
    let folder = try ScratchFolder()
    let broker = try MQTTTestBroker(folder)
    let path = folder.path + "/outbox.sqlite"
    try await broker.use { _ in
      let test = try MQTTTestSink(port: broker.port, [SettingEntry("outbox", .string(path))])
      try await test.sink.start()
      await test.waitForConnection()
      try await broker.subscribe { subscriber in
        try await test.send(1)
        await subscriber.lines.wait { $0.contains { $0.contains(#""sequence":1,"#) } }
        let other = try SQLiteDatabase(path: path, layout: [""])
        try other.run(
          "CREATE TRIGGER t BEFORE INSERT ON outbox BEGIN SELECT RAISE(FAIL, 'no space'); END")
        for number in 2...3 {
          try await test.send(number)
          await subscriber.lines.wait { lines in
            lines.contains { $0.contains("position {") && $0.contains(#":0.00\#(number),"#) }
          }
        }
        try other.run("DROP TRIGGER t")
        try await test.send(4)
        await subscriber.lines.wait { lines in
          lines.contains { $0.contains("track {") && $0.contains(#":0.004,"#) }
        }
        let tracks = subscriber.lines.events.filter { $0.hasPrefix("fixcast/van/track") }
        #expect(tracks.count == 2, "\(tracks)")
      }
      let lines = test.log.events.filter { !$0.contains("connected to") }
      #expect(lines.count == 2, "\(lines)")
      #expect(lines.first?.hasPrefix("warning: mqtt: ") == true, "\(lines)")
      #expect(lines.first?.hasSuffix("; publishing positions without keeping them") == true)
      #expect(lines.last == "info: mqtt: keeping positions again; 2 were not kept")
      await test.sink.stop()
    }
  }

  @Test func `a wrong password is one line in the log, without the password`() async throws {
    let folder = try ScratchFolder()
    let file = folder.path + "/users"
    let made = try await ChildProcess.run(
      path: "/usr/bin/mosquitto_passwd", arguments: ["-b", "-c", file, "pi", "zebra"])
    #expect(made.code == 0)
    try folder.write("password", "giraffe\n")
    chmod(folder.path + "/password", 0o600)
    let broker = try MQTTTestBroker(folder, listener: "password_file \(file)", anonymous: false)
    try await broker.use { _ in
      let entries = [
        SettingEntry("username", .string("pi")),
        SettingEntry("password_file", .string(folder.path + "/password")),
      ]
      let test = try MQTTTestSink(port: broker.port, entries)
      try await test.sink.start()
      let lines = await test.log.wait(for: 1)
      #expect(
        lines == [
          "warning: mqtt: mqtt://127.0.0.1:\(broker.port): the broker does not allow this user to "
            + "connect; retrying every 5 minutes"
        ])
      await test.sink.stop()

      try folder.write("password", "zebra\n")
      let corrected = try MQTTTestSink(port: broker.port, entries)
      try await corrected.sink.start()
      await corrected.waitForConnection()
      await corrected.sink.stop()
      #expect(!(corrected.log.events + test.log.events).joined().contains("giraffe"))
    }
  }

  @Test func `without a broker, the log has one line, and the sink connects when the broker starts`() async throws {
    let folder = try ScratchFolder()
    let broker = try MQTTTestBroker(folder)
    let test = try MQTTTestSink(port: broker.port)
    try await test.sink.start()
    let lines = await test.log.wait(for: 1)
    let address = "mqtt://127.0.0.1:\(broker.port)"
    #expect(lines == ["warning: mqtt: \(address): Connection refused; retrying"])
    try await broker.use { _ in
      await test.waitForConnection()
      #expect(test.log.events.last == "info: mqtt: connected to \(address)")
      await test.sink.stop()
    }
  }

  @Test func `after Home Assistant's birth message, the discovery message and the states are repeated`() async throws {
    let folder = try ScratchFolder()
    let broker = try MQTTTestBroker(folder)
    try await broker.use { _ in
      let test = try MQTTTestSink(
        port: broker.port, [SettingEntry("homeassistant", .boolean(true))])
      try await test.sink.start()
      try await test.send(1)
      await test.waitForConnection()
      try await broker.subscribe { subscriber in
        await subscriber.lines.wait { $0.contains { $0.contains(#""longitude":0.001"#) } }
        try await broker.publish("online", to: "homeassistant/status")
        // Up to ten seconds later.
        let topic = "homeassistant/device/fixcast_van/config"
        let lines = await subscriber.lines.wait { lines in
          lines.count { $0.hasPrefix(topic) } >= 2
        }
        #expect(lines.count { $0.contains(#""longitude":0.001"#) } == 2)
        #expect(lines.count { $0.hasPrefix("fixcast/van/availability online") } == 2)
      }
      await test.sink.stop()
    }
  }

  @Test func `a broker with a packet limit gets the position, and one message per entity`() async throws {
    let folder = try ScratchFolder()
    let broker = try MQTTTestBroker(folder, listener: "max_packet_size 2000")
    try await broker.use { _ in
      let test = try MQTTTestSink(
        port: broker.port, [SettingEntry("homeassistant", .boolean(true))])
      try await test.sink.start()
      try await broker.subscribe { subscriber in
        try await test.send(1)
        let lines = MQTTTestBroker.messages(
          await subscriber.lines.wait { lines in
            lines.contains { $0.hasPrefix("homeassistant/binary_sensor/fixcast_van/receiver/") }
          })
        let position = try #require(lines.firstIndex { $0.contains(#""longitude":0.001"#) })
        let entity = try #require(lines.firstIndex { $0.hasPrefix("homeassistant/") })
        #expect(position < entity)
        #expect(lines.count { $0.hasPrefix("homeassistant/") } == 14)
      }
      #expect(
        test.log.events.count {
          $0.contains("closes the connection at homeassistant/device/fixcast_van/config (")
        } == 1, "\(test.log.events)")
      await test.sink.stop()
    }
  }

  @Test func `OwnTracks' format is published on its topic`() async throws {
    let folder = try ScratchFolder()
    let broker = try MQTTTestBroker(folder)
    try await broker.use { _ in
      let test = try MQTTTestSink(
        port: broker.port, [SettingEntry("owntracks", .string("pi/van"))])
      try await test.sink.start()
      try await broker.subscribe(to: "owntracks/#") { subscriber in
        try await test.send(3)
        let lines = MQTTTestBroker.messages(
          await subscriber.lines.wait { !MQTTTestBroker.messages($0).isEmpty })
        #expect(
          lines.first?.hasPrefix(
            #"owntracks/pi/van {"_type":"location","lat":48.1,"lon":0.003,"tst":1795262403,"#
              + #""acc":31,"tid":"an"}"#) == true, "\(lines)")
      }
      await test.sink.stop()
    }
  }
}
