// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Settings

/// Finds secrets that stand in a configuration which everybody can read.
///
/// Its group may: the file is most often root's, and the daemon reads it as a member of one.
struct WrittenSecretCheck {
  func errors(_ table: SettingsTable, _ declarations: [SettingDeclaration]) -> [SettingsError] {
    declarations.flatMap { declaration -> [SettingsError] in
      if case (.table(let inner), .table(let table)?) = (
        declaration.kind, table[declaration.name]?.value
      ) {
        return errors(table, inner)
      }
      guard declaration.isSecret, let file = table[declaration.name]?.origin?.file,
        Self.isReadByAll(file)
      else { return [] }
      let text =
        "everybody can read it in \(file); put it into a file of its own that only the daemon can "
        + "read, or mend it with: chgrp fixcast \(file) && chmod 640 \(file)"
      return [table.error(.conflict(text), in: declaration.name)]
    }
  }

  private static func isReadByAll(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IROTH != 0
  }
}
