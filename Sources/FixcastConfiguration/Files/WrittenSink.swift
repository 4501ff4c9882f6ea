// SPDX-License-Identifier: Apache-2.0

internal import Pipeline
internal import Settings

/// A sink as a file has it, as far as the files that it writes go.
struct WrittenSink {
  let table: SettingsTable
  /// What it puts behind a file's name, for files beside it.
  let besides: [String]
  private let keys: [String]

  /// Where it writes, by key; standard output is nobody's own, and none of these.
  var files: [(key: String, path: String)] {
    keys.compactMap { key in
      guard case .string(let path)? = table[key]?.value, path != "-" else { return nil }
      return (key, path)
    }
  }

  /// The sinks that a configuration names, in the order of the files, in which the first of two is
  /// the one that has a file.
  static func all(in table: SettingsTable, _ catalog: ConfigurationCatalog) -> [WrittenSink] {
    ConfigurationSection.written(in: table, catalog)
      .filter { $0.1.name == PluginRole.sink.rawValue }
      .map { table, section in
        WrittenSink(
          table: table, besides: catalog.plugin(section.type ?? "", .sink)?.besides ?? [],
          keys: section.declarations.filter(\.isPath).map(\.name))
      }
      .sorted {
        guard let one = $0.table.origin, let other = $1.table.origin else { return false }
        return one < other
      }
  }
}

extension SettingDeclaration {
  fileprivate var isPath: Bool { if case .path = kind { true } else { false } }
}
