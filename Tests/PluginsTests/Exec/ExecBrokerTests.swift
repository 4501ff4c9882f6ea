// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import LocationServices
import Pipeline
import Positioning
import Testing

@testable import Plugins

/// Uses a real MQTT broker and its clients, on a socket in the test's folder.
@Suite("Exec sink with an MQTT broker", .timeLimit(.minutes(5)))
struct ExecBrokerTests {
  private static let programs: [String] = [
    "/usr/sbin/mosquitto", "/usr/bin/mosquitto_pub", "/usr/bin/mosquitto_sub", "/usr/bin/stdbuf",
  ]
  static var isInstalled: Bool { programs.allSatisfy { access($0, X_OK) == 0 } }

  @Test(.enabled(if: isInstalled, "needs mosquitto and mosquitto-clients"))
  func `mosquitto_pub publishes each event as one message, and subscribers receive all messages`() async throws {
    let script = try ExecScript()
    let socket = script.folder.path + "/socket"
    try script.folder.write(
      "broker.conf",
      // As root, mosquitto would switch to a user that may not create a socket in the folder.
      """
      user root
      listener 0 \(socket)
      allow_anonymous true
      log_dest stderr
      log_type all
      """)
    var command = try documentedCommand("sink")
    // The documentation's broker is on a network; the test's broker is on a socket.
    let host = try #require(command.words.firstIndex(of: "-h"))
    command.words.replaceSubrange(host...host + 1, with: ["--unix", socket])
    try await ChildProcess.use(
      path: "/usr/sbin/mosquitto", arguments: ["-c", script.folder.path + "/broker.conf"]
    ) { broker in
      await broker.lines.wait { $0.contains { $0.hasSuffix(" running") } }
      try await ChildProcess.use(
        path: "/usr/bin/stdbuf",
        arguments: ["-oL", "mosquitto_sub", "--unix", socket, "-t", "van/position", "-d"]
      ) { subscriber in
        await subscriber.lines.wait { $0.contains { $0.hasPrefix("Subscribed") } }
        let sink = script.sink(command)
        try await sink.start()
        try await sink.receive(ErrorEvent(source: "a", message: "b"))
        for latitude in [1.0, 2, 3] {
          try await sink.receive(LocationEvent(.at(latitude, 2)))
        }
        let expected =
          [#"{"class":"ERROR","message":"b","source":"a"}"#]
          + (1...3).map {
            #"{"class":"TPV","mode":2,"lat":\#($0).000000000,"lon":2.000000000}"#
          }
        let lines = await subscriber.lines.wait { lines in
          lines.contains { $0.contains(#""lat":3."#) }
        }
        #expect(lines.filter { $0.hasPrefix("{") } == expected)
        await sink.stop()
        // The broker logs a disconnect only if the client ended normally.
        await broker.lines.wait { lines in
          lines.contains { $0.hasSuffix(" disconnected.") }
        }
        #expect(script.notices.events.isEmpty && sink.counts == ExecCounts())
      }
    }
  }
}
