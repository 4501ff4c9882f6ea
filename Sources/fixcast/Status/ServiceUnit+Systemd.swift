// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import Subprocess

extension ServiceUnit {
  /// Asks systemd about the unit, for at most five seconds.
  ///
  /// The result is `nil` without systemd, if the unit is not installed, or if the environment names
  /// another daemon.
  static func installed() async -> ServiceUnit? {
    guard ["FIXCAST_ROOT", "FIXCAST_SOCKET"].allSatisfy({ DaemonLocator.variable($0) == nil })
    else { return nil }
    let words = [
      "show", "fixcast.service", "--property=LoadState",
      "--property=" + properties.joined(separator: ","),
    ]
    let result = try? await Subprocess.run(
      .name("systemctl"), arguments: Arguments(words),
      environment: .inherit.updating(["SYSTEMD_BUS_TIMEOUT": "5"]),
      output: .string(limit: 65_536), error: .discarded)
    guard let text = result?.standardOutput, text.contains("LoadState=loaded") else { return nil }
    return ServiceUnit(properties: text)
  }
}
