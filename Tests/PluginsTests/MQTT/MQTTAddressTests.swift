// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import Testing

@testable import Plugins

@Suite("MQTT settings")
struct MQTTAddressTests {
  @Test(arguments: [
    ("mqtt://127.0.0.1", "mqtt://127.0.0.1:1883"),
    ("mqtts://broker.lan", "mqtts://broker.lan:8883"),
    ("mqtt://[::1]:1884", "mqtt://[::1]:1884"), ("mqtts://ha-1:443", "mqtts://ha-1:443"),
  ])
  func `an address has a host and a port`(text: String, description: String) {
    #expect(MQTTBroker(text)?.description == description)
  }

  @Test(arguments: [
    "", "mqtt://", "127.0.0.1", "http://a", "mqtt://a:0", "mqtt://a:65536", "mqtt://a:1x",
    "mqtt://pi:zebra@a", "mqtt://a/b", "mqtt://[::1", "mqtt://[::1]1883", "mqtt://a b",
    "mqtt://ä",
  ])
  func `other texts are rejected`(text: String) { #expect(MQTTBroker(text) == nil) }

  @Test(
    arguments: [
      (["broker": "mqtt://pi:zebra@a"], "sink.broker: must be mqtt://HOST or mqtts://HOST"),
      (
        ["broker": "mqtt://a", "username": "pi", "password_file": "/p"],
        "sink.password_file: would be sent without encryption; use mqtts://"
      ),
      (["broker": "mqtts://a", "password_file": "/p"], "sink.password_file: needs username"),
      (
        ["broker": "mqtt://a", "tls_ca_file": "/c"],
        "sink.tls_ca_file: has an effect only with mqtts://"
      ),
      (
        ["broker": "mqtts://a", "tls_key_file": "/k"],
        "sink.tls_key_file: needs the other one of tls_certificate_file and tls_key_file"
      ),
      (
        ["broker": "mqtt://a", "client_id": "a\tb"],
        "sink.client_id: must not contain control characters"
      ),
      (
        ["broker": "mqtt://a", "username": "a\u{85}"],
        "sink.username: must not contain control characters"
      ),
      (["broker": "mqtt://a", "owntracks": "pi"], "sink.owntracks: must be USER/DEVICE"),
      (
        ["broker": "mqtt://a", "topic_prefix": "a/+"],
        "sink.topic_prefix: must be a topic of at most 200 bytes, without + and #"
      ),
    ] as [([String: String], String)])
  func `settings that contradict each other are errors that name the key`(values: [String: String], message: String)
    throws
  {
    let entries = values.sorted { $0.key < $1.key }.map { SettingEntry($0.key, .string($0.value)) }
    let settings = SettingsTable("sink", entries: entries)
    let error = #expect(throws: SettingsError.self) {
      _ = try MQTTBroker(settings)
      _ = try MQTTBoardSettings(settings)
    }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.hasPrefix(message) && !text.contains("zebra"), "\(text)")
  }

  @Test(arguments: [(60, nil, 60), (5, nil, 30), (5, 5, 5), (60, 90, 90)] as [(Int64, Int64?, Double)])
  func `the interval at rest is 30 seconds, or the interval on the move if that is longer`(
    interval: Int64, rest: Int64?, seconds: Double
  ) throws {
    var entries = [SettingEntry("interval_seconds", .integer(interval))]
    if let rest { entries.append(SettingEntry("rest_interval_seconds", .integer(rest))) }
    let settings = try MQTTBoardSettings(SettingsTable("sink", entries: entries))
    #expect(settings.rate.restIntervalSeconds == seconds)
  }

  @Test func `an interval at rest that is shorter than the interval on the move is an error`() {
    let entries = [
      SettingEntry("interval_seconds", .integer(60)),
      SettingEntry("rest_interval_seconds", .integer(59)),
    ]
    #expect(throws: SettingsError.self) {
      try MQTTBoardSettings(SettingsTable("sink", entries: entries))
    }
  }

  @Test func `a password is allowed without TLS on this board, and with TLS elsewhere`() throws {
    for address in ["mqtt://localhost", "mqtt://[::1]", "mqtts://a"] {
      let settings = SettingsTable(
        "sink",
        entries: [
          SettingEntry("broker", .string(address)), SettingEntry("username", .string("pi")),
          SettingEntry("password_file", .string("/p")),
        ])
      #expect(try MQTTBroker(settings).passwordFile == "/p")
    }
  }

  @Test func `positions for another computer without TLS cause a warning`() {
    for address in ["mqtt://localhost", "mqtt://127.0.0.1", "mqtt://[::1]", "mqtts://broker.lan"] {
      #expect(MQTTBroker(address)?.cleartextWarning == nil, "\(address)")
    }
    for address in ["mqtt://broker.lan", "mqtt://192.168.1.2", "mqtt://127.example.com", "mqtt://x.localhost"] {
      #expect(MQTTBroker(address)?.cleartextWarning != nil, "\(address)")
    }
  }

  @Test func `the default client id contains the sink's name unless it is mqtt`() {
    let topics = MQTTTopics(prefix: "fixcast", board: "van")
    #expect(topics.clientID(sink: "mqtt") == "fixcast-van")
    #expect(topics.clientID(sink: "office") == "fixcast-van-office")
  }

  @Test func `characters that a topic cannot contain are replaced in the name of the board`() {
    let topics = MQTTTopics(prefix: "fixcast", board: "Van 7/ü+#")
    #expect(topics.position == "fixcast/Van_7____/position")
  }
}
