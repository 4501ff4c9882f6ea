// SPDX-License-Identifier: Apache-2.0

import Daemon
import FixcastConfiguration

extension DaemonConfiguration {
  /// What a file of this text says to this program.
  static func toml(_ text: String) throws -> DaemonConfiguration {
    try read(
      try SettingsTable(toml: Array(text.utf8), file: "config.toml"), catalog: .known
    ).get()
  }
}
