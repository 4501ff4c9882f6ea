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
        guard declaration.isSecret, Self.hasSecret(entry.value), let file = entry.origin?.file,
          Self.isReadableByAll(file)
        else { return [] }
        let key = declarations.first(where: \.holdsCredentials)?.name
        faults = [
          "all users can read the secret in \(file); move it to a file that only the daemon can "
            + "read" + (key.map { ", and name that file in \($0)" } ?? "")
            + ", or fix it with: chgrp fixcast \(file) && chmod 640 \(file)"
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

  /// Whether a value holds a secret; environment variables without secrets need no protection.
  private static func hasSecret(_ value: SettingValue) -> Bool {
    guard case .list(let values) = value else { return true }
    return values.compactMap(\.asString).contains(where: SecretVariable.isLikely)
  }

  private static func isReadableByAll(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IROTH != 0
  }
}

extension SettingDeclaration {
  /// Whether the key names files with secrets.
  fileprivate var holdsCredentials: Bool {
    switch kind {
    case .credential, .list(of: .credential): true
    default: false
    }
  }
}
