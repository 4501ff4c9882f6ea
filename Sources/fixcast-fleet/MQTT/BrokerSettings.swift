// SPDX-License-Identifier: Apache-2.0

internal import MQTTPackets
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
    guard addresses.contains(where: \.isSecure) else { return nil }
    var configuration = TLSConfiguration.makeClientConfiguration()
    if let caFile { configuration.trustRoots = .file(caFile) }
    do { return try NIOSSLContext(configuration: configuration) } catch {
      throw MQTTFailure("the certificates for TLS cannot be read: \(error)")
    }
  }

  /// Returns the CONNECT packet of a session.
  func connect(_ suffix: String) throws(MQTTFailure) -> MQTTPacket.Connect {
    var connect = MQTTPacket.Connect(
      clientID: "\(clientIDPrefix)-\(suffix)", keepAliveSeconds: keepAliveSeconds,
      username: username)
    if let passwordFile { connect.password = try Self.password(passwordFile) }
    return connect
  }

  private static func password(_ path: String) throws(MQTTFailure) -> String {
    do throws(FileFailure) {
      let bytes = try BoundedFile.read(path, limit: 4096)
      let text = String(decoding: bytes, as: UTF8.self)
      return String(text.prefix { !$0.isNewline })
    } catch { throw MQTTFailure("the password cannot be read: \(error)") }
  }
}
