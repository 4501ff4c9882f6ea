// SPDX-License-Identifier: Apache-2.0

public import Pipeline
public import Settings

/// `[[gate]]`, `[[stage]]` or `[[sink]]`: one plugin.
public struct PluginSettings: Equatable, Sendable {
  /// What it is for.
  public var role: PluginRole
  /// What it is asked for by.
  public var type: String
  /// What it is called; nothing else is called so.
  public var name: String
  /// Whether the daemon ends where it fails for good.
  public var isRequired: Bool
  /// How long a call of it may take; `nil` for what the plugin declares.
  public var timeout: Duration?
  /// The keys of its own, checked.
  public var settings: SettingsTable

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

  /// The keys that every plugin has.
  public static let common = [
    typeKey.declaration, nameKey.declaration, requiredKey.declaration, timeoutKey.declaration,
  ]

  /// Reads one plugin's table, whose single values are right.
  ///
  /// - Parameters:
  ///   - settings: The table.
  ///   - description: What is known of the plugin.
  /// - Throws: What does not fit together.
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

  /// A call that may be longer than what it is given is cut off, whatever its key says.
  private static func checkCalls(
    _ settings: SettingsTable, _ description: PluginDescription, _ timeout: Duration?
  ) throws(SettingsError) {
    guard let limit = timeout ?? description.timeout else { return }
    for key in description.callKeys {
      guard let value = settings[key]?.value, let seconds = value.seconds,
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

extension SettingValue {
  fileprivate var seconds: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number
    default: nil
    }
  }
}
