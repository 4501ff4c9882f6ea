// SPDX-License-Identifier: Apache-2.0

public import Pipeline
public import Settings

/// What has to be known of a plugin to read its settings: nothing of what it does.
public struct PluginDescription: Sendable {
  /// What it is asked for by.
  public let type: String
  /// What it is for.
  public let role: PluginRole
  /// What it does, in a sentence without an end.
  public let summary: String
  /// The keys of its own; those that every plugin has come beside.
  public let settings: [SettingDeclaration]
  /// What it puts behind its file's name, for files beside it.
  public let besides: [String]
  /// Whether it looks up weather, and so is nothing without.
  public let needsWeather: Bool
  /// The keys of its own that say how long one call of it may take.
  public let callKeys: [String]
  /// How long one call of it may take where no file says it; `nil` for as long as it likes.
  public let timeout: Duration?
  /// Looks at the settings together, and touches nothing.
  public let check: @Sendable (SettingsTable) throws(SettingsError) -> Void

  /// Describes a plugin.
  ///
  /// - Parameters:
  ///   - type: What it is asked for by.
  ///   - role: What it is for.
  ///   - summary: What it does.
  ///   - settings: The keys of its own.
  ///   - besides: What it puts behind its file's name, for files beside it.
  ///   - needsWeather: Whether it looks up weather.
  ///   - callKeys: The keys of its own that say how long one call of it may take.
  ///   - timeout: How long one call of it may take where no file says it.
  ///   - check: Looks at the settings together; called with tables whose single values are right.
  public init(
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
