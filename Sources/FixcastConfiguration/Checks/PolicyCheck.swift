// SPDX-License-Identifier: Apache-2.0

package import LocationServices

/// Checks the files with the policy rules, next to the configuration.
package enum PolicyCheck {
  package static func errors(in folders: PolicyFolders) -> SettingsErrors {
    SettingsErrors(
      folders.read().problems.map { problem in
        SettingsError(
          .conflict(problem.message),
          at: SettingOrigin(file: problem.place.file, line: problem.place.line))
      })
  }
}
