// SPDX-License-Identifier: Apache-2.0

internal import Settings

/// Looks at the files that secrets lie in, wherever a declared key names one.
struct CredentialCheck {
  /// The environment's `CREDENTIALS_DIRECTORY`.
  let folder: String?

  func errors(_ table: SettingsTable, _ declarations: [SettingDeclaration]) -> [SettingsError] {
    declarations.flatMap { declaration -> [SettingsError] in
      switch (declaration.kind, table[declaration.name]?.value) {
      case (.credential, .string(let name)?):
        return errors([name], table, declaration)
      case (.list(of: .credential), .list(let values)?):
        let names = values.compactMap { if case .string(let name) = $0 { name } else { nil } }
        return errors(names, table, declaration)
      case (.table(let inner), .table(let table)?): return errors(table, inner)
      default: return []
      }
    }
  }

  private func errors(
    _ names: [String], _ table: SettingsTable, _ declaration: SettingDeclaration
  ) -> [SettingsError] {
    names.compactMap { fault(of: $0) }.map { table.error(.conflict($0), in: declaration.name) }
  }

  private func fault(of name: String) -> String? {
    guard let file = CredentialFile(name, folder: folder) else {
      return folder == nil
        ? "no credentials were passed; write an absolute path, or pass one with LoadCredential="
        : "not a credential's name"
    }
    do throws(CredentialFault) {
      _ = try file.read()
      return nil
    } catch { return error.text }
  }
}
