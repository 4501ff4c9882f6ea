// SPDX-License-Identifier: Apache-2.0

/// A key with its value and origin.
package struct SettingEntry: Sendable {
  package let name: String
  package let value: SettingValue
  package let origin: SettingOrigin?

  package init(_ name: String, _ value: SettingValue, at origin: SettingOrigin? = nil) {
    self.name = name
    self.value = value
    self.origin = origin
  }
}

/// Keys and values in the order of the file.
///
/// Two tables are equal if they contain the same values, regardless of order and origin.
package struct SettingsTable: Sendable {
  /// The path, such as `sink.gpx`; empty for a whole file.
  package let keyPath: String
  package let origin: SettingOrigin?
  package private(set) var entries: [SettingEntry] = []
  private var positions: [String: Int] = [:]

  package init(
    _ keyPath: String = "", at origin: SettingOrigin? = nil, entries: [SettingEntry] = []
  ) {
    self.keyPath = keyPath
    self.origin = origin
    for entry in entries { set(entry) }
  }

  package var isEmpty: Bool { entries.isEmpty }

  package subscript(name: String) -> SettingEntry? { positions[name].map { entries[$0] } }

  /// Adds an entry, or replaces the entry with the same name.
  package mutating func set(_ entry: SettingEntry) {
    if let position = positions[entry.name] {
      entries[position] = entry
    } else {
      positions[entry.name] = entries.count
      entries.append(entry)
    }
  }

  /// Returns the same table with another key path.
  package func named(_ keyPath: String) -> SettingsTable {
    let renamed = entries.map { entry in
      guard case .table(let inner) = entry.value else { return entry }
      let path = Self.join(keyPath, entry.name)
      return SettingEntry(entry.name, .table(inner.named(path)), at: entry.origin)
    }
    return SettingsTable(keyPath, at: origin, entries: renamed)
  }

  /// Returns the key path of a key, such as `sink.gpx.file`.
  package func path(of name: String) -> String { Self.join(keyPath, name) }

  private static func join(_ path: String, _ name: String) -> String {
    path.isEmpty ? name : "\(path).\(name)"
  }
}

extension SettingsTable: Equatable {
  package static func == (left: Self, right: Self) -> Bool {
    left.entries.count == right.entries.count
      && left.entries.allSatisfy { right[$0.name]?.value == $0.value }
  }
}

extension SettingsTable {
  /// Returns the value of a key, or its default.
  package func value<Value>(of key: SettingKey<Value>) throws(SettingsError) -> Value {
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

  /// Returns a subtable; empty if there is no subtable with that name.
  package func table(_ name: String) throws(SettingsError) -> SettingsTable {
    guard let written = self[name]?.value else { return SettingsTable(path(of: name)) }
    if case .list = written {
      throw error(.conflict("is a single table, not a list; write [\(path(of: name))]"), in: name)
    }
    guard case .table(let table) = written else {
      throw error(.wrongType(expected: "a table", found: written.typeName), in: name)
    }
    return table
  }

  /// Returns all unknown keys, invalid values and missing keys, including those of subtables.
  package func errors(declared declarations: [SettingDeclaration]) -> [SettingsError] {
    let names = declarations.map(\.name)
    var errors: [SettingsError] = []
    for entry in entries {
      if let declaration = declarations.first(where: { $0.name == entry.name }) {
        if let error = error(in: declaration) { errors.append(error) }
        if case (.table(let inner), .table(let table)) = (declaration.kind, entry.value) {
          errors += table.errors(declared: inner)
        }
      } else {
        // Do not suggest keys that the table already contains.
        let absent = declarations.filter { self[$0.name] == nil }
        errors.append(
          SettingsError(
            .unknownKey(
              entry.name,
              nearest: Spelling.nearest(to: entry.name, in: names)
                ?? Synonyms.nearest(to: entry.name, in: absent.map(\.name))
                ?? absent.first { $0.kind.isChoice(entry.value) }?.name),
            keyPath: keyPath, at: entry.origin))
      }
    }
    return errors
      + declarations.filter { self[$0.name] == nil }.compactMap { error(in: $0) }
  }

  /// Creates an error about a key, or about the whole table if the name is `nil`.
  package func error(_ problem: SettingsError.Problem, in name: String?) -> SettingsError {
    SettingsError(
      problem, keyPath: name.map(path(of:)) ?? keyPath,
      at: name.flatMap { self[$0]?.origin } ?? origin)
  }

  private func error(in declaration: SettingDeclaration) -> SettingsError? {
    guard let written = self[declaration.name] else {
      guard declaration.isRequired else { return nil }
      return error(.missing(declaration.name, summary: declaration.summary), in: nil)
    }
    return declaration.kind.problem(with: written.value, isSecret: declaration.isSecret)
      .map { error($0, in: declaration.name) }
  }
}

extension SettingsTable {
  /// Returns this table with the changes of a later file.
  ///
  /// Later values replace earlier values. Tables are merged key by key. Two tables in a list are
  /// merged if `identity` returns the same text for both; if their types differ, the later table
  /// replaces the earlier table. Other tables in a list are appended.
  package func overlaid(
    by later: SettingsTable, identity: (_ list: String, _ table: SettingsTable) -> String?
  ) -> SettingsTable {
    var result = self
    for entry in later.entries {
      guard let earlier = self[entry.name] else {
        result.set(entry)
        continue
      }
      let value: SettingValue =
        switch (earlier.value, entry.value) {
        case (.table(let table), .table(let other)):
          .table(table.overlaid(by: other, identity: { _, _ in nil }))
        case (.list(let values), .list(let others)):
          .list(Self.join(values, others) { identity(entry.name, $0) })
        default: entry.value
        }
      result.set(SettingEntry(entry.name, value, at: entry.origin))
    }
    return result
  }

  /// Merges the lists if both contain only tables; otherwise returns the later list.
  private static func join(
    _ values: [SettingValue], _ others: [SettingValue], identity: (SettingsTable) -> String?
  ) -> [SettingValue] {
    let tables = values.compactMap(\.asTable)
    let others = (all: others, tables: others.compactMap(\.asTable))
    guard tables.count == values.count, others.tables.count == others.all.count else {
      return others.all
    }
    let positions = Dictionary(
      tables.enumerated().compactMap { offset, table in identity(table).map { ($0, offset) } },
      uniquingKeysWith: { first, _ in first })
    var result = tables
    for other in others.tables {
      guard let position = identity(other).flatMap({ positions[$0] }) else {
        result.append(other)
        continue
      }
      let hasOtherType = other["type"].map { $0.value != result[position]["type"]?.value } ?? false
      result[position] =
        hasOtherType ? other : result[position].overlaid(by: other, identity: { _, _ in nil })
    }
    return result.map(SettingValue.table)
  }
}
