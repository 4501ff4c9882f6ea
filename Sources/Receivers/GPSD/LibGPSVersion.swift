// SPDX-License-Identifier: Apache-2.0

internal import CGPS

/// A release of libgps, and the version of gpsd's protocol that the release states.
package struct LibGPSVersion: Equatable, Sendable {
  package var release: String
  package var protocolMajor: Int
  package var protocolMinor: Int

  /// The libgps that the program was compiled against.
  package static let compiled = LibGPSVersion(
    apiMajor: Int(cgps_api_major()), apiMinor: Int(cgps_api_minor()))

  /// Finds the release with an API version, because `gps.h` does not contain the release.
  ///
  /// Several releases have the API 14; 3.25 is that of Debian 13 and Ubuntu 24.04. An API that is
  /// newer than 16.1 counts as 16.1.
  init(apiMajor: Int, apiMinor: Int) {
    (release, protocolMajor, protocolMinor) =
      switch (apiMajor, apiMinor) {
      case (...9, _): ("3.20", 3, 14)
      case (10, _): ("3.21", 3, 14)
      case (11, _): ("3.22", 3, 14)
      case (12, _): ("3.23.1", 3, 14)
      case (13, _): ("3.24", 3, 15)
      case (14...15, _): ("3.25", 3, 15)
      case (16, 0): ("3.27.3", 16, 0)
      default: ("3.27.5", 16, 1)
      }
  }
}
