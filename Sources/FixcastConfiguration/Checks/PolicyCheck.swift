// SPDX-License-Identifier: Apache-2.0

package import LocationServices

/// Checks the policy rule files, which are not part of the configuration files.
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
