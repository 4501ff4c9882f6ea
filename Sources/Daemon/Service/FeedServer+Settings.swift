// SPDX-License-Identifier: Apache-2.0

internal import DaemonServer
internal import FixcastConfiguration
internal import WeatherClientLive

extension FeedServer.Settings {
  /// Converts the settings of a server; a disabled server listens nowhere.
  init(_ settings: FeedServerSettings) {
    self.init(
      addresses: settings.isEnabled ? settings.addresses : [],
      socketPath: settings.isEnabled ? settings.socket : nil)
  }
}

extension GPSDVersion {
  /// The version in the greeting of gpsd clients.
  static var libgps: GPSDVersion {
    var version = GPSDVersion.unknown
    version.revision = "fixcast \(ProgramVersion.text)"
    return version
  }
}
