// SPDX-License-Identifier: Apache-2.0

package import Pipeline

/// The plugins and weather providers that can be configured.
package struct ConfigurationCatalog: Sendable {
  package struct Provider: Sendable {
    package let name: String
    /// The reason why a provider cannot be used with these settings; `nil` if it can.
    package let lack: @Sendable (WeatherSettings, WeatherSettings.Provider) -> String?

    package init(
      name: String,
      lack: @escaping @Sendable (WeatherSettings, WeatherSettings.Provider) -> String? = { _, _ in
        nil
      }
    ) {
      self.name = name
      self.lack = lack
    }
  }

  package let plugins: [PluginDescription]
  /// The default provider first.
  package let providers: [Provider]
  /// The types of the plugins that run if no file names a plugin of their role.
  ///
  /// Those that need weather are left out while it is off.
  package let standard: [PluginRole: [String]]

  /// Names of the daemon's own parts.
  package let reservedNames: [String]

  package init(
    plugins: [PluginDescription], providers: [Provider],
    standard: [PluginRole: [String]] = [.stage: ["place", "weather"]],
    reservedNames: [String] = []
  ) {
    self.plugins = plugins
    self.providers = providers
    self.standard = standard
    self.reservedNames = reservedNames
  }

  func plugin(_ type: String, _ role: PluginRole) -> PluginDescription? {
    plugins.first { $0.type == type && $0.role == role }
  }

  package func plugins(_ role: PluginRole) -> [PluginDescription] {
    plugins.filter { $0.role == role }
  }
}

/// The facts about a plugin that reading its settings needs.
package struct PluginDescription: Sendable {
  package let type: String
  package let role: PluginRole
  /// A sentence without its period.
  package let summary: String
  /// Without the keys that every plugin has.
  package let settings: [SettingDeclaration]
  /// Suffixes of files that it creates beside its own.
  package let besides: [String]
  package let needsWeather: Bool
  /// Keys that limit the duration of one call.
  package let callKeys: [String]
  /// The default limit of one call; `nil` for none.
  package let timeout: Duration?
  /// Checks settings whose single values are valid, without side effects.
  package let check: @Sendable (SettingsTable) throws(SettingsError) -> Void

  package init(
    type: String, role: PluginRole, summary: String, settings: [SettingDeclaration] = [],
    besides: [String] = [], needsWeather: Bool = false, callKeys: [String] = [],
    timeout: Duration? = nil,
    check: @escaping @Sendable (SettingsTable) throws(SettingsError) -> Void = { _ in }
  ) {
    self.type = type
    self.role = role
    self.summary = summary
    self.settings = settings
    self.besides = besides
    self.needsWeather = needsWeather
    self.callKeys = callKeys
    self.timeout = timeout
    self.check = check
  }
}
