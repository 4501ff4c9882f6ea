// SPDX-License-Identifier: Apache-2.0

package import Pipeline

/// `[[gate]]`, `[[stage]]` or `[[sink]]`.
package struct PluginSettings: Equatable, Sendable {
  package var role: PluginRole
  package var type: String
  package var name: String
  package var isRequired: Bool
  /// `nil` for the plugin's own limit.
  package var timeout: Duration?
  /// The plugin's own keys, checked.
  package var settings: SettingsTable

  static let typeKey = SettingKey.text("type", summary: "which plugin it is")
  static let nameKey = SettingKey.text(
    "name", summary: "what it alone is called in logs and status; else its type"
  ).optional
  static let requiredKey = SettingKey.flag(
    "required", default: false, summary: "whether the daemon ends where it fails for good")
  static let timeoutKey = SettingKey.seconds(
    "timeout_seconds", in: 0.1...3600,
    summary: "how long one call of it may take; else what the plugin declares"
  ).optional.example(.integer(30))

  package static let common = [
    typeKey.declaration, nameKey.declaration, requiredKey.declaration, timeoutKey.declaration,
  ]

  init(_ settings: SettingsTable, _ description: PluginDescription) throws(SettingsError) {
    role = description.role
    type = description.type
    name = try settings.value(of: Self.nameKey) ?? description.type
    isRequired = try settings.value(of: Self.requiredKey)
    timeout = try settings.value(of: Self.timeoutKey)
    try Self.checkCalls(settings, description, timeout)
    let common = Set(Self.common.map(\.name))
    self.settings = SettingsTable(
      settings.keyPath, at: settings.origin,
      entries: settings.entries.filter { !common.contains($0.name) })
    try description.check(self.settings)
  }

  /// Refuses a key that allows a call longer than the timeout, which would cut it off.
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
      let least = seconds.rounded(.down) + 1
      let advice = least > 3600 ? "make it less" : "write timeout_seconds = \(Int(least))"
      throw settings.error(
        .conflict("is \(value.literal), and one call may take \(text) s at most; \(advice)"),
        in: key)
    }
  }
}
