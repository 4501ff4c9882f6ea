// SPDX-License-Identifier: Apache-2.0

package import Pipeline

/// The available plugins.
package struct ConfigurationCatalog: Sendable {
  package let plugins: [PluginDescription]
  /// The types of the default gates and stages, in the order that locations pass them.
  ///
  /// If weather is disabled, plugins that need weather are omitted.
  package let defaults: [PluginKey]

  /// Names that the daemon uses for its own components.
  package let reservedNames: [String]

  package init(
    plugins: [PluginDescription], defaults: [PluginKey], reservedNames: [String] = []
  ) {
    self.plugins = plugins
    self.defaults = defaults
    self.reservedNames = reservedNames
  }

  func plugin(_ type: String, _ role: PluginRole) -> PluginDescription? {
    plugins.first { $0.type == type && $0.role == role }
  }

  package func plugins(_ role: PluginRole) -> [PluginDescription] {
    plugins.filter { $0.role == role }
  }
}

/// The properties of a plugin that are needed to read its settings.
package struct PluginDescription: Sendable {
  package typealias Warning = @Sendable (SettingsTable) -> SettingsError?

  package let type: String
  package let role: PluginRole
  /// A phrase without a period at the end.
  package let summary: String
  /// The plugin's own keys, excluding the keys that all plugins have.
  package let settings: [SettingDeclaration]
  /// Suffixes of additional files that the plugin creates.
  package let extraSuffixes: [String]
  package let needsWeather: Bool
  /// Keys that limit the duration of one call.
  package let callKeys: [String]
  /// The default deadline for one call; `nil` for no deadline.
  package let timeout: Duration?
  /// Returns a warning about valid settings, or `nil`.
  package var warning: Warning = { _ in nil }
  /// Checks the combination of values.
  ///
  /// Each value has already been validated on its own. The check has no side effects.
  package let check: @Sendable (SettingsTable) throws(SettingsError) -> Void

  package init(
    type: String, role: PluginRole, summary: String, settings: [SettingDeclaration] = [],
    extraSuffixes: [String] = [], needsWeather: Bool = false, callKeys: [String] = [],
    timeout: Duration? = nil,
    check: @escaping @Sendable (SettingsTable) throws(SettingsError) -> Void = { _ in }
  ) {
    self.type = type
    self.role = role
    self.summary = summary
    self.settings = settings
    self.extraSuffixes = extraSuffixes
    self.needsWeather = needsWeather
    self.callKeys = callKeys
    self.timeout = timeout
    self.check = check
  }
}
