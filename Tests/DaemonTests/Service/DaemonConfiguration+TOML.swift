// SPDX-License-Identifier: Apache-2.0

import Daemon
import FixcastConfiguration

extension DaemonConfiguration {
  /// Reads a configuration from TOML text.
  static func toml(_ text: String) throws -> DaemonConfiguration {
    try read(
      try SettingsTable(toml: Array(text.utf8), file: "config.toml"), catalog: .known
    ).get()
  }
}
