// SPDX-License-Identifier: Apache-2.0

internal import MQTTClient
internal import NIOSSL
internal import SystemSupport

/// The brokers of a fleet, and the credentials of the consumer.
struct BrokerSettings: Sendable {
  /// The nodes of one cluster; any of them can be used.
  var addresses: [BrokerAddress]
  /// The first part of the client ids; the shard is the second.
  var clientIDPrefix = "fixcast-fleet"
  var username: String?
  /// The file with the password, which is read for each connection.
  var passwordFile: String?
  /// The certificates that may sign the broker's; `nil` for those of the system.
  var caFile: String?
  var keepAliveSeconds: UInt16 = 20

  /// Returns the TLS configuration; `nil` if no address needs one.
  func tls() throws(MQTTFailure) -> NIOSSLContext? {
    addresses.contains(where: \.isSecure) ? try MQTTTLS(caFile: caFile).context() : nil
  }

  /// Returns the protocol settings of a session with subscriptions.
  func session(
    _ suffix: String, filters: [String]
  ) throws(MQTTFailure) -> MQTTConnectionState.Settings {
    let connect = MQTTPacket.Connect(
      clientID: "\(clientIDPrefix)-\(suffix)", keepAliveSeconds: keepAliveSeconds,
      username: username, password: try password())
    var settings = MQTTConnectionState.Settings(connect: connect)
    (settings.filters, settings.needsSubscriptions, settings.names) = (filters, true, .options)
    return settings
  }

  /// Reads the password; `nil` without one.
  func password() throws(MQTTFailure) -> String? {
    guard let passwordFile else { return nil }
    do throws(FileFailure) {
      let bytes = try BoundedFile.read(passwordFile, limit: 4096)
      let text = String(decoding: bytes, as: UTF8.self)
      return String(text.prefix { !$0.isNewline })
    } catch { throw MQTTFailure("the password cannot be read: \(error)") }
  }
}
