// SPDX-License-Identifier: Apache-2.0

package import FixcastConfiguration
internal import Glibc
internal import SystemSupport

extension SourceSpecification {
  /// Whether the source may reveal where this board is, so that authorization applies to it.
  ///
  /// A recording, the simulation and a gpsd on another host do not. May resolve a name, which may
  /// take seconds.
  package var revealsThisBoard: Bool {
    switch self {
    case .auto, .serial: return true
    case .gpsd(let server): return LocalHost.isThisBoard(server.host.text)
    case .simulated: return false
    case .replay(let file):
      // A receiver can also be opened as a file.
      var status = stat()
      return stat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR
    }
  }
}
