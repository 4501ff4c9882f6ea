// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import LocationServices
internal import MQTTClient
internal import SystemSupport

/// The address of an MQTT broker, and the credentials for it.
struct MQTTBroker: Equatable, Sendable {
  private static let addressKey = SettingKey.text(
    "broker",
    summary: "address of the broker: mqtt://HOST, or mqtts://HOST with TLS, with :PORT if it is "
      + "not 1883 or 8883"
  ).example(.string("mqtt://127.0.0.1"))
  private static let username = SettingKey.text("username", summary: "user name at the broker")
    .optional.example(.string("fixcast"))
  private static let passwordFile = SettingKey.credential(
    "password_file", summary: "file with the password, readable only by its owner"
  ).optional.example(.string("/etc/fixcast/mqtt.password"))
  private static let clientID = SettingKey.text(
    "client_id",
    summary: "client id, unique at the broker; default fixcast-BOARD, with -NAME for a named sink"
  ).optional.example(.string("fixcast-van"))
  private static let keepAliveSeconds = SettingKey.count(
    "keepalive_seconds", in: 5...3600, default: 30,
    summary: "maximum time without a packet; the broker publishes offline after 1.5 times this")
  private static let caFile = SettingKey.text(
    "tls_ca_file", summary: "certificates that may sign the broker's; default those of the system"
  ).optional.example(.string("/etc/fixcast/mqtt-ca.pem"))
  private static let certificateFile = SettingKey.text(
    "tls_certificate_file", summary: "certificate of this client, if the broker requires one"
  ).optional.example(.string("/etc/fixcast/mqtt-client.pem"))
  private static let keyFile = SettingKey.credential(
    "tls_key_file", summary: "file with the private key of the client's certificate"
  ).optional.example(.string("/etc/fixcast/mqtt-client.key"))

  static let settings = [
    addressKey.declaration, username.declaration, passwordFile.declaration, clientID.declaration,
    keepAliveSeconds.declaration, caFile.declaration, certificateFile.declaration,
    keyFile.declaration,
  ]

  let address: BrokerAddress
  /// The files for TLS; `nil` for a connection without TLS.
  ///
  /// The key is the name of a systemd credential, or a path.
  var tls: MQTTTLS?
  private(set) var username: String?
  /// The file with the password: the name of a systemd credential, or a path.
  private(set) var passwordFile: String?
  /// The client id; `nil` for the default.
  private(set) var clientID: String?
  private(set) var keepAliveSeconds = 30

  /// Parses an address such as `mqtt://127.0.0.1` or `mqtts://[::1]:8883`; `nil` if it is not one.
  init?(_ text: String) {
    guard let address = BrokerAddress(text) else { return nil }
    self.address = address
    tls = address.isSecure ? MQTTTLS() : nil
  }

  /// Reads the settings; throws `SettingsError` if they contradict each other.
  init(_ settings: SettingsTable) throws(SettingsError) {
    func conflict(_ text: String, _ key: String) -> SettingsError {
      settings.error(.conflict(text), in: key)
    }
    guard var broker = MQTTBroker(try settings.value(of: Self.addressKey)) else {
      // The address may contain a password, so it is not shown.
      throw conflict(
        "must be mqtt://HOST or mqtts://HOST, with :PORT if needed; a user name belongs in "
          + "username, a password in password_file", "broker")
    }
    broker.username = try settings.value(of: Self.username)
    broker.passwordFile = try settings.value(of: Self.passwordFile)
    broker.clientID = try settings.value(of: Self.clientID)
    broker.keepAliveSeconds = try settings.value(of: Self.keepAliveSeconds)
    for (text, key) in [(broker.username, "username"), (broker.clientID, "client_id")] {
      guard let text, !MQTTTopics.isAllowed(text) else { continue }
      throw conflict("must not contain control characters", key)
    }
    let tls = MQTTTLS(
      caFile: try settings.value(of: Self.caFile),
      certificateFile: try settings.value(of: Self.certificateFile),
      keyFile: try settings.value(of: Self.keyFile))
    if broker.passwordFile != nil, broker.username == nil {
      throw conflict("needs username", "password_file")
    }
    if broker.tls == nil {
      if tls != MQTTTLS() {
        let keys = ["tls_ca_file", "tls_certificate_file", "tls_key_file"]
        throw conflict("has an effect only with mqtts://", keys.first { settings[$0] != nil } ?? "")
      }
      if broker.passwordFile != nil, !broker.isLoopback {
        throw conflict("would be sent without encryption; use mqtts://", "password_file")
      }
    } else {
      broker.tls = tls
    }
    if (tls.certificateFile == nil) != (tls.keyFile == nil) {
      let key = tls.keyFile == nil ? "tls_certificate_file" : "tls_key_file"
      throw conflict("needs the other one of tls_certificate_file and tls_key_file", key)
    }
    self = broker
  }

  /// Whether the broker runs on this board.
  var isLoopback: Bool { address.server.host.isLoopback }

  /// A warning if others on the network can read the positions; `nil` if they cannot.
  var cleartextWarning: String? {
    tls != nil || isLoopback
      ? nil : "positions are sent unencrypted; use mqtts://, or a broker on this board"
  }

  /// Returns the ``cleartextWarning`` of a sink's settings as a warning of its key.
  static func cleartextWarning(_ settings: SettingsTable) -> SettingsError? {
    (try? MQTTBroker(settings))?.cleartextWarning.map {
      settings.error(.conflict($0), in: "broker")
    }
  }

  /// The address for the log.
  var description: String { "\(address)" }
}
