// SPDX-License-Identifier: Apache-2.0

internal import DaemonServer
internal import FixcastConfiguration
internal import Receivers
internal import WeatherClientLive

extension WebServer.Settings {
  /// Converts the settings of the status page.
  ///
  /// - Parameters:
  ///   - settings: The settings.
  ///   - credentialsFolder: The folder of the service manager's credentials.
  ///   - inherited: The socket of the service manager; `nil` for none.
  init(_ settings: WebSettings, credentialsFolder: String?, inherited: Int32?) {
    self.init(
      addresses: settings.address.map { [$0] } ?? [], hosts: settings.hosts, inherited: inherited)
    if let file = settings.certificateFile, let key = settings.keyFile {
      let path = CredentialFile(key, folder: credentialsFolder)?.path ?? key
      certificate = (file, path)
    }
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
