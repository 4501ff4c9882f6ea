// SPDX-License-Identifier: Apache-2.0

package import Pipeline

/// The settings of `[[gate]]`, `[[stage]]` or `[[sink]]`.
package struct PluginSettings: Equatable, Sendable {
  package var role: PluginRole
  package var type: String
  package var name: String
  package var isEnabled: Bool
  package var isRequired: Bool
  /// The deadline for one call; `nil` for the plugin's default.
  package var timeout: Duration?
  /// The validated values of the plugin's own keys.
  package var settings: SettingsTable

  static let typeKey = SettingKey.text("type", summary: "type of the plugin")
  static let nameKey = SettingKey.text(
    "name", summary: "unique name in logs and status; default: the type"
  ).optional
  static let enabledKey = SettingKey.flag(
    "enabled", default: true,
    summary: "whether the plugin runs; false also removes a default gate or stage")
  static let requiredKey = SettingKey.flag(
    "required", default: false, summary: "whether the daemon ends if the plugin fails permanently")
  static let timeoutKey = SettingKey.seconds(
    "timeout_seconds", in: 0.1...3600,
    summary: "time limit for one call; default: the plugin's own limit"
  ).optional.example(.integer(30))

  package static let common = [
    typeKey.declaration, nameKey.declaration, enabledKey.declaration, requiredKey.declaration,
    timeoutKey.declaration,
  ]

  init(_ settings: SettingsTable, _ description: PluginDescription) throws(SettingsError) {
    role = description.role
    type = description.type
    name = try settings.value(of: Self.nameKey) ?? description.type
    isEnabled = try settings.value(of: Self.enabledKey)
    isRequired = try settings.value(of: Self.requiredKey)
    timeout = try settings.value(of: Self.timeoutKey)
    try Self.checkCalls(settings, description, timeout)
    let common = Set(Self.common.map(\.name))
    self.settings = SettingsTable(
      settings.keyPath, at: settings.origin,
      entries: settings.entries.filter { !common.contains($0.name) })
    try description.check(self.settings)
  }

  /// Rejects a key that allows calls longer than the timeout: such calls would be cancelled.
  private static func checkCalls(
    _ settings: SettingsTable, _ description: PluginDescription, _ timeout: Duration?
  ) throws(SettingsError) {
    guard let limit = timeout ?? description.timeout else { return }
    for key in description.callKeys {
      guard let value = settings[key]?.value, let seconds = value.asNumber,
        .seconds(seconds) >= limit
      else { continue }
      let given = settings[timeoutKey.declaration.name]?.value.literal
      let text = given ?? "\(limit.components.seconds)"
      let needed = seconds.rounded(.down) + 1
      let advice = needed > 3600 ? "reduce it" : "set timeout_seconds = \(Int(needed))"
      throw settings.error(
        .conflict("is \(value.literal), but one call may take at most \(text) s; \(advice)"),
        in: key)
    }
  }
}
