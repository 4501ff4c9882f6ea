// SPDX-License-Identifier: Apache-2.0

/// The names of the settings that error messages mention.
package struct MQTTSettingNames: Equatable, Sendable {
  let broker: String
  /// `nil` if the client id cannot be set.
  let clientID: String?
  let caFile: String

  /// The keys of the daemon's configuration.
  package static let configuration = MQTTSettingNames(
    broker: "broker", clientID: "client_id", caFile: "tls_ca_file")
  /// The options of `fixcast-fleet run`.
  package static let options = MQTTSettingNames(
    broker: "--broker", clientID: "--client-id-prefix", caFile: "--tls-ca-file")
  /// The options of `fixcast-fleet simulate`.
  package static let simulation = MQTTSettingNames(
    broker: "--broker", clientID: nil, caFile: "--tls-ca-file")
}
