// SPDX-License-Identifier: Apache-2.0

public import LocationServices
public import Settings

/// Looks at the rules of who may know where the board is: no part of the configuration, but beside it,
/// and while any of them cannot be understood, everybody is restricted.
public enum PolicyCheck {
  /// Reads the rules.
  ///
  /// - Parameter folders: Where they lie.
  /// - Returns: What cannot be read or understood, each with its place.
  public static func errors(in folders: PolicyFolders) -> SettingsErrors {
    SettingsErrors(
      folders.read().problems.map { problem in
        SettingsError(
          .conflict(problem.message),
          at: SettingOrigin(file: problem.place.file, line: problem.place.line))
      })
  }
}
