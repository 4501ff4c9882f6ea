// SPDX-License-Identifier: Apache-2.0

/// A key with the type that its value has in Swift.
///
/// Declared once, read by name, and listed for the reference:
///
///     static let file = SettingKey.path("file", summary: "where the track is written")
///     static let interval = SettingKey.seconds(
///       "interval_seconds", in: 0...86_400, default: 10, summary: "the least time between two points")
///
///     static let settings = [file.declaration, interval.declaration]
///
///     init(_ settings: SettingsTable) throws(SettingsError) {
///       path = try settings.value(of: Self.file)
///       pause = try settings.value(of: Self.interval)
///     }
public struct SettingKey<Value: Sendable>: Sendable {
  /// What is known of it without its type.
  public let declaration: SettingDeclaration
  /// What holds where no file says anything; `nil` where a file has to say it.
  let fallback: Value?
  /// The value of what the kind has let through.
  let read: @Sendable (SettingValue) -> Value?

  init(
    _ name: String, _ kind: SettingKind, summary: String, written: SettingValue?, fallback: Value?,
    isSecret: Bool = false, read: @escaping @Sendable (SettingValue) -> Value?
  ) {
    declaration = SettingDeclaration(
      name: name, kind: kind, summary: summary, defaultValue: written,
      isRequired: fallback == nil, isSecret: isSecret, example: nil)
    self.fallback = fallback
    self.read = read
  }

  private init(
    _ declaration: SettingDeclaration, fallback: Value?,
    read: @escaping @Sendable (SettingValue) -> Value?
  ) {
    self.declaration = declaration
    self.fallback = fallback
    self.read = read
  }

  /// The same key where no file has to say it, and `nil` is what holds then.
  public var optional: SettingKey<Value?> {
    let read = read
    return SettingKey<Value?>(
      declaration.with(isRequired: false), fallback: .some(fallback), read: { .some(read($0)) })
  }

  /// The same key with something that the reference can show.
  ///
  /// - Parameter value: A value such as a person would write.
  /// - Returns: The key.
  public func example(_ value: SettingValue) -> SettingKey {
    SettingKey(declaration.with(example: value), fallback: fallback, read: read)
  }
}

extension SettingDeclaration {
  fileprivate func with(isRequired: Bool? = nil, example: SettingValue? = nil) -> Self {
    Self(
      name: name, kind: kind, summary: summary, defaultValue: defaultValue,
      isRequired: isRequired ?? self.isRequired, isSecret: isSecret,
      example: example ?? self.example)
  }
}
