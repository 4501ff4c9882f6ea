// SPDX-License-Identifier: Apache-2.0

/// The version that the gpsd server states in its greeting.
///
/// The release and the protocol are those of the libgps that the program was built with: cgps and
/// xgps warn, and pause for seconds, if a server states another release than their own.
package struct GPSDVersion: Equatable, Sendable {
  package var release: String
  package var protocolMajor: Int
  package var protocolMinor: Int
  /// The name and version of this program, such as `fixcast 1.0.0`.
  package var revision: String

  package init(release: String, protocolMajor: Int, protocolMinor: Int, revision: String) {
    self.release = release
    self.protocolMajor = protocolMajor
    self.protocolMinor = protocolMinor
    self.revision = revision
  }
}

extension GPSDVersion {
  /// The version of a server that does not know its libgps.
  package static let unknown = GPSDVersion(
    release: "3.22", protocolMajor: 3, protocolMinor: 14, revision: "fixcast")
}
