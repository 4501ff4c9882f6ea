// SPDX-License-Identifier: Apache-2.0

package import DaemonServer

/// The settings of `[metrics]`.
package struct MetricsSettings: Equatable, Sendable {
  /// The server for Prometheus over TCP; without addresses, it does not listen.
  package var server: FeedServer.Settings
  package var includesPosition: Bool

  static let listenKey = SettingKey<[String]>.list(
    "listen", default: [],
    summary: "loopback addresses and ports for Prometheus, such as \"127.0.0.1:9477\"")
  static let positionKey = SettingKey<Bool>.flag(
    "position", default: false,
    summary: "whether the metrics for programs with full accuracy contain the position")

  package static let settings = [listenKey.declaration, positionKey.declaration]

  init(_ settings: SettingsTable) throws(SettingsError) {
    server = FeedServer.Settings(
      addresses: try FeedServer.Settings.addresses(
        settings, Self.listenKey,
        advice: "run Prometheus on this board, or use the textfile collector of node_exporter"))
    includesPosition = try settings.value(of: Self.positionKey)
  }
}
