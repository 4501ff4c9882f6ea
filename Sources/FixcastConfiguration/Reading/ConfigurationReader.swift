// SPDX-License-Identifier: Apache-2.0

internal import DaemonServer
internal import Pipeline

/// Reads all tables of a configuration and collects the errors in them.
struct ConfigurationReader {
  let catalog: ConfigurationCatalog
  private(set) var errors: [SettingsError] = []
  /// The table that uses each name.
  private var names: [String: SettingsTable] = [:]
  /// The last number that was suggested for each name.
  private var suggestedNumbers: [String: Int] = [:]
  /// The table header for each key that only one table can contain.
  private lazy var headers = Self.headers(catalog)

  static let sections = [
    "daemon", "source", "weather", "gpsd_server", "nmea_server", "metrics", "web", "gate", "stage",
    "sink",
  ]

  init(catalog: ConfigurationCatalog) { self.catalog = catalog }

  /// Reads the configuration; returns `nil` if there are ``errors``.
  mutating func read(_ root: SettingsTable) -> DaemonConfiguration? {
    for entry in root.entries where !Self.sections.contains(entry.name) {
      if entry.value.asTable == nil, let header = headers[entry.name] {
        let text = "belongs below \(header); move it there, or write \(header) above it"
        errors.append(SettingsError(.conflict(text), keyPath: entry.name, at: entry.origin))
        continue
      }
      let nearest =
        Spelling.nearest(to: entry.name, in: Self.sections)
        ?? Synonyms.nearest(to: entry.name, in: Self.sections)
      errors.append(
        SettingsError(.unknownKey(entry.name, nearest: nearest), at: entry.origin))
    }
    let daemon = section("daemon", in: root, DaemonSettings.settings, DaemonSettings.init)
    let weather = section("weather", in: root, WeatherSettings.settings, WeatherSettings.init)
    let gpsdServer = feedServer("gpsd_server", in: root, FeedServer.Settings.gpsd)
    let nmeaServer = feedServer("nmea_server", in: root, FeedServer.Settings.nmea)
    let metrics = section("metrics", in: root, MetricsSettings.settings, MetricsSettings.init)
    let web = section("web", in: root, WebServer.Settings.settings, WebServer.Settings.init)
    let sources = sources(in: root)
    let plugins = branch(in: root, weather) + plugins(.sink, in: root, weather)
    guard let daemon, let weather, let gpsdServer, let nmeaServer, let metrics, let web else {
      return nil
    }
    check(weather, root)
    return DaemonConfiguration(
      daemon: daemon, sources: sources, weather: weather, gpsdServer: gpsdServer,
      nmeaServer: nmeaServer, metrics: metrics, web: web, plugins: plugins.filter(\.isEnabled))
  }

  private mutating func feedServer(
    _ name: String, in root: SettingsTable, _ keys: FeedServer.Settings.Keys
  ) -> FeedServer.Settings? {
    section(name, in: root, keys.settings) { settings throws(SettingsError) in
      try FeedServer.Settings(settings, keys)
    }
  }

  private static func headers(_ catalog: ConfigurationCatalog) -> [String: String] {
    var headers: [String: Set<String>] = [:]
    // Keys of these tables are also keys of [daemon] and [gpsd_server], which are more common.
    for section in ConfigurationSection.all(catalog)
    where !["nmea_server", "metrics", "web"].contains(section.name) {
      for key in section.declarations { headers[key.name, default: []].insert(section.header) }
    }
    return headers.compactMapValues { $0.count == 1 ? $0.first : nil }
  }

  private mutating func section<Value>(
    _ name: String, in root: SettingsTable, _ declarations: [SettingDeclaration],
    _ make: (SettingsTable) throws(SettingsError) -> Value
  ) -> Value? {
    do throws(SettingsError) {
      return value(of: try root.table(name), declarations, make)
    } catch {
      errors.append(error)
      return nil
    }
  }

  private mutating func value<Value>(
    of table: SettingsTable, _ declarations: [SettingDeclaration],
    _ make: (SettingsTable) throws(SettingsError) -> Value
  ) -> Value? {
    let tableErrors = table.errors(declared: declarations)
    errors += tableErrors
    guard tableErrors.isEmpty else { return nil }
    do throws(SettingsError) {
      return try make(table)
    } catch {
      errors.append(error)
      return nil
    }
  }

  private mutating func tables(_ name: String, in root: SettingsTable) -> [SettingsTable] {
    guard let entry = root[name] else { return [] }
    if case .list(let values) = entry.value {
      let tables = values.compactMap(\.asTable)
      if tables.count == values.count { return tables }
    }
    errors.append(root.error(.conflict("is a list of tables; write [[\(name)]]"), in: name))
    return []
  }

  private mutating func sources(in root: SettingsTable) -> [SourceSettings] {
    let tables = tables("source", in: root)
    if tables.isEmpty { return [.standard] }
    var firstTables: [SourceSpecification: SettingsTable] = [:]
    return tables.compactMap { table -> SourceSettings? in
      guard let source = value(of: table, SourceSettings.settings, SourceSettings.init) else {
        return nil
      }
      // The same device with another baud rate or checksum rule is the same source.
      var key = source.specification
      if case .serial(let devnode, _, _) = key { key = .serial(devnode: devnode, baud: nil) }
      if let first = firstTables[key], key != .simulated {
        let text = "\(key) is already a source\(Self.originSuffix(of: first)); remove one"
        reject(table, text)
        return nil
      }
      firstTables[key] = table
      register(source.name, table)
      return source
    }
  }

  /// Returns the gates and stages in the order that locations pass them.
  ///
  /// The gates of the files come first, then the default plugins, then the stages of the files. A
  /// table with the name of a default plugin replaces that plugin, in its position.
  private mutating func branch(
    in root: SettingsTable, _ weather: WeatherSettings?
  ) -> [PluginSettings] {
    let written = plugins(.gate, in: root, weather) + plugins(.stage, in: root, weather)
    let key = { (plugin: PluginSettings) in PluginKey(plugin.role, plugin.name) }
    let defaults = catalog.defaults.compactMap { wanted in
      written.first { key($0) == wanted } ?? defaultPlugin(wanted, weather)
    }
    let added = written.filter { !catalog.defaults.contains(key($0)) }
    return added.filter { $0.role == .gate } + defaults + added.filter { $0.role == .stage }
  }

  private mutating func defaultPlugin(
    _ key: PluginKey, _ weather: WeatherSettings?
  ) -> PluginSettings? {
    guard let description = catalog.plugin(key.name, key.role),
      weather?.isEnabled != false || !description.needsWeather
    else { return nil }
    let table = SettingsTable(
      "\(key.role.rawValue).\(key.name)", entries: [SettingEntry("type", .string(key.name))])
    register(key.name, table)
    return plugin(table, description)
  }

  /// Returns the plugins of the files, including disabled ones.
  private mutating func plugins(
    _ role: PluginRole, in root: SettingsTable, _ weather: WeatherSettings?
  ) -> [PluginSettings] {
    tables(role.rawValue, in: root).compactMap { table -> PluginSettings? in
      guard let description = description(of: table, role) else { return nil }
      let table = table.named("\(role.rawValue).\(Self.text("name", table) ?? description.type)")
      guard let plugin = plugin(table, description) else { return nil }
      if plugin.isEnabled, weather?.isEnabled == false, description.needsWeather {
        reject(table, "needs weather, but [weather] has enabled = false; remove one of them")
      }
      register(plugin.name, table)
      return plugin
    }
  }

  private mutating func plugin(
    _ table: SettingsTable, _ description: PluginDescription
  ) -> PluginSettings? {
    value(of: table, PluginSettings.common + description.settings) {
      settings throws(SettingsError) in try PluginSettings(settings, description)
    }
  }

  private mutating func reject(_ table: SettingsTable, _ text: String) {
    errors.append(table.error(.conflict(text), in: nil))
  }

  private mutating func description(
    of table: SettingsTable, _ role: PluginRole
  ) -> PluginDescription? {
    do throws(SettingsError) {
      let types = catalog.plugins(role).map(\.type)
      if let entry = Self.misspelledType(of: table, types) {
        throw SettingsError(
          .unknownKey(entry.name, nearest: PluginSettings.typeKey.declaration.name),
          keyPath: table.keyPath, at: entry.origin)
      }
      let key = PluginSettings.typeKey.declaration
      if table[key.name] == nil {
        let list = types.map(SettingValue.quoted).joined(separator: ", ")
        throw table.error(.missing(key.name, summary: "\(key.summary), one of \(list)"), in: nil)
      }
      let type = try table.value(of: PluginSettings.typeKey)
      if let description = catalog.plugin(type, role) { return description }
      if let other = catalog.plugins.first(where: { $0.type == type }) {
        throw table.error(
          .conflict("\"\(type)\" is a \(other.role.rawValue); write [[\(other.role.rawValue)]]"),
          in: "type")
      }
      throw table.error(
        .unknownChoice(
          value: type, choices: types, nearest: Spelling.nearest(to: type, in: types)),
        in: "type")
    } catch {
      errors.append(error)
      return nil
    }
  }

  /// Returns the entry whose key is probably a misspelled `type`; `nil` if the table has a type.
  private static func misspelledType(of table: SettingsTable, _ types: [String]) -> SettingEntry? {
    let key = PluginSettings.typeKey.declaration.name
    guard table[key] == nil else { return nil }
    return table.entries.first { entry in
      guard entry.name != "name", case .string(let text) = entry.value else { return false }
      return types.contains(text) || Synonyms.nearest(to: entry.name, in: [key]) != nil
    }
  }

  /// Registers a name, or reports a duplicate: names must be unique in logs and status.
  private mutating func register(_ name: String, _ table: SettingsTable) {
    if catalog.reservedNames.contains(name) {
      reject(table, "the name \"\(name)\" is reserved by the daemon; \(advice(for: name))")
    } else if let first = names[name] {
      let owner = first.keyPath + Self.originSuffix(of: first)
      reject(table, "the name \"\(name)\" is already used by \(owner); \(advice(for: name))")
    } else {
      names[name] = table
    }
  }

  /// Suggests an unused name.
  private mutating func advice(for name: String) -> String {
    var number = suggestedNumbers[name, default: 1] + 1
    while names["\(name)-\(number)"] != nil { number += 1 }
    suggestedNumbers[name] = number
    let written = SettingValue.string("\(name)-\(number)").literal
    return "use another, such as name = \(written)"
  }

  private mutating func check(_ weather: WeatherSettings, _ root: SettingsTable) {
    guard weather.isEnabled else { return }
    for provider in weather.providers {
      guard let fault = provider.fault, let table = try? root.table("weather") else { continue }
      errors.append(table.error(.conflict("\(provider.name): \(fault)"), in: "providers"))
    }
  }

  private static func originSuffix(of table: SettingsTable) -> String {
    table.origin.map { " (\($0))" } ?? ""
  }

  /// Returns the text of a key in an unchecked table; `nil` if the key has no text or empty text.
  static func text(_ name: String, _ table: SettingsTable) -> String? {
    table[name]?.value.asString.flatMap { $0.isEmpty ? nil : $0 }
  }
}
