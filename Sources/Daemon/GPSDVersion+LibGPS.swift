// SPDX-License-Identifier: Apache-2.0

internal import DaemonServer
internal import Receivers
internal import WeatherClientLive

extension GPSDVersion {
  /// The version of the libgps that the program was compiled against.
  static let libgps = GPSDVersion(
    release: LibGPSVersion.compiled.release,
    protocolMajor: LibGPSVersion.compiled.protocolMajor,
    protocolMinor: LibGPSVersion.compiled.protocolMinor,
    revision: "fixcast \(ProgramVersion.text)")
}
