// SPDX-License-Identifier: Apache-2.0

internal import DaemonServer
internal import FixcastConfiguration
internal import Receivers
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
  /// The version of the libgps that the program was compiled against.
  static let libgps = GPSDVersion(
    release: LibGPSVersion.compiled.release,
    protocolMajor: LibGPSVersion.compiled.protocolMajor,
    protocolMinor: LibGPSVersion.compiled.protocolMinor,
    revision: "fixcast \(ProgramVersion.text)")
}
