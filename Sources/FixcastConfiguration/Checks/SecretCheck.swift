// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Checks the files in `credential` keys, and reports secrets that all users can read.
struct SecretCheck {
  /// The value of the environment variable `CREDENTIALS_DIRECTORY`.
  let credentialsFolder: String?

  func errors(_ table: SettingsTable, _ declarations: [SettingDeclaration]) -> [SettingsError] {
    declarations.flatMap { declaration -> [SettingsError] in
      guard let entry = table[declaration.name] else { return [] }
      let faults: [String]
      switch (declaration.kind, entry.value) {
      case (.table(let inner), .table(let table)): return errors(table, inner)
      case (.credential, .string(let name)): faults = [fault(of: name)].compactMap { $0 }
      case (.list(of: .credential), .list(let values)):
        faults = values.compactMap(\.asString).compactMap(fault)
      default:
        // The group may read the file, because the daemon is a member of the group.
        guard declaration.isSecret, let file = entry.origin?.file, Self.isReadByAll(file) else {
          return []
        }
        faults = [
          "all users can read it in \(file); move it to a separate file that only the daemon can "
            + "read, or fix it with: chgrp fixcast \(file) && chmod 640 \(file)"
        ]
      }
      return faults.map { table.error(.conflict($0), in: declaration.name) }
    }
  }

  private func fault(of name: String) -> String? {
    guard let file = CredentialFile(name, folder: credentialsFolder) else {
      return credentialsFolder == nil
        ? "the service manager passed no credentials; use an absolute path, or add "
          + "LoadCredential= to the unit"
        : "not a valid credential name"
    }
    do throws(CredentialFault) {
      _ = try file.read()
      return nil
    } catch { return error.text }
  }

  private static func isReadByAll(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IROTH != 0
  }
}
