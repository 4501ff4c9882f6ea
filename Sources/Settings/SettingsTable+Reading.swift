// SPDX-License-Identifier: Apache-2.0

extension SettingsTable {
  /// The value of a key, or what holds where it is not written.
  ///
  /// - Parameter key: The key.
  /// - Returns: The value.
  /// - Throws: `wrongType`, `outOfRange`, `unknownChoice` or `missing`.
  public func value<Value>(of key: SettingKey<Value>) throws(SettingsError) -> Value {
    if let error = error(in: key.declaration) { throw error }
    if let written = self[key.declaration.name], let value = key.read(written.value) {
      return value
    }
    guard let fallback = key.fallback else {
      throw error(
        .missing(key.declaration.name, summary: key.declaration.summary), in: nil)
    }
    return fallback
  }

  /// A table in this one; empty where it is not written.
  ///
  /// - Parameter name: Its name.
  /// - Returns: The table.
  /// - Throws: `wrongType` where something else goes by its name, `conflict` where a list does.
  public func table(_ name: String) throws(SettingsError) -> SettingsTable {
    guard let written = self[name]?.value else { return SettingsTable(path(of: name)) }
    if case .list = written {
      throw error(.conflict("is one table, and no list; write [\(path(of: name))]"), in: name)
    }
    guard case .table(let table) = written else {
      throw error(.wrongType(expected: "a table", found: written.sort), in: name)
    }
    return table
  }

  /// Everything that is wrong with the table: keys that nobody declared, values that do not fit,
  /// and keys that are missing, those of the tables in it included.
  ///
  /// - Parameter declarations: The keys it may have.
  /// - Returns: The errors, in the order of the file.
  public func errors(declared declarations: [SettingDeclaration]) -> [SettingsError] {
    let names = declarations.map(\.name)
    var errors: [SettingsError] = []
    for entry in entries {
      if let declaration = declarations.first(where: { $0.name == entry.name }) {
        if let error = error(in: declaration) { errors.append(error) }
        if case (.table(let inner), .table(let table)) = (declaration.kind, entry.value) {
          errors += table.errors(declared: inner)
        }
      } else {
        // What is written already was not meant.
        let free = declarations.filter { self[$0.name] == nil }
        errors.append(
          SettingsError(
            .unknownKey(
              entry.name,
              nearest: Spelling.nearest(to: entry.name, in: names)
                ?? Synonyms.nearest(to: entry.name, in: free.map(\.name))
                ?? free.first { $0.kind.isChoice(entry.value) }?.name),
            keyPath: keyPath, at: entry.origin))
      }
    }
    return errors
      + declarations.filter { self[$0.name] == nil }.compactMap { error(in: $0) }
  }

  /// An error about a key of this table, with its place.
  ///
  /// For what a plugin finds when it looks at its values together.
  ///
  /// - Parameters:
  ///   - problem: What is wrong, and what to do.
  ///   - name: The key; `nil` for the table as a whole.
  /// - Returns: The error, to be thrown.
  public func error(_ problem: SettingsError.Problem, in name: String?) -> SettingsError {
    SettingsError(
      problem, keyPath: name.map(path(of:)) ?? keyPath,
      at: name.flatMap { self[$0]?.origin } ?? origin)
  }

  /// What is wrong with one declared key.
  private func error(in declaration: SettingDeclaration) -> SettingsError? {
    guard let written = self[declaration.name] else {
      guard declaration.isRequired else { return nil }
      return error(.missing(declaration.name, summary: declaration.summary), in: nil)
    }
    return declaration.kind.problem(with: written.value, isSecret: declaration.isSecret)
      .map { error($0, in: declaration.name) }
  }
}
