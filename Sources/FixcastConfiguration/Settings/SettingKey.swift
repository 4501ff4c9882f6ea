// SPDX-License-Identifier: Apache-2.0

/// A key and the Swift type of its value.
///
/// The same declaration is used to read the value and to generate the reference:
///
///     static let file = SettingKey.path("file", summary: "output file")
///     static let settings = [file.declaration]
///
///     init(_ settings: SettingsTable) throws(SettingsError) {
///       path = try settings.value(of: Self.file)
///     }
///
/// A key is required unless it has a default or is `optional`.
package struct SettingKey<Value: Sendable>: Sendable {
  package let declaration: SettingDeclaration
  /// The default; `nil` if the key is required.
  let fallback: Value?
  /// Converts a value that has been validated by ``SettingKind``.
  let read: @Sendable (SettingValue) -> Value?

  private init(
    _ declaration: SettingDeclaration, fallback: Value?,
    read: @escaping @Sendable (SettingValue) -> Value?
  ) {
    self.declaration = declaration
    self.fallback = fallback
    self.read = read
  }

  fileprivate init(
    _ name: String, _ kind: SettingKind, _ summary: String, default: Value?, isSecret: Bool = false,
    write: (Value) -> SettingValue, read: @escaping @Sendable (SettingValue) -> Value?
  ) {
    let declaration = SettingDeclaration(
      name: name, kind: kind, summary: summary, defaultValue: `default`.map(write),
      isRequired: `default` == nil, isSecret: isSecret)
    self.init(declaration, fallback: `default`, read: read)
  }

  /// The same key with the default `nil`.
  package var optional: SettingKey<Value?> {
    var declaration = declaration
    declaration.isRequired = false
    return SettingKey<Value?>(declaration, fallback: .some(fallback)) { [read] in .some(read($0)) }
  }

  /// Returns the same key with an example for the reference.
  package func example(_ value: SettingValue) -> SettingKey {
    var declaration = declaration
    declaration.example = value
    return SettingKey(declaration, fallback: fallback, read: read)
  }
}

extension SettingKey where Value == String {
  package static func text(_ name: String, default: String? = nil, summary: String) -> Self {
    Self(name, .text, summary, default: `default`, write: SettingValue.string, read: \.asString)
  }

  package static func path(_ name: String, default: String? = nil, summary: String) -> Self {
    Self(name, .path, summary, default: `default`, write: SettingValue.string, read: \.asString)
  }

  /// A file that contains a secret: the name of a systemd credential, or a path.
  package static func credential(_ name: String, summary: String) -> Self {
    Self(name, .credential, summary, default: nil, write: SettingValue.string, read: \.asString)
  }

  package static func choice(
    _ name: String, of words: [String], default: String? = nil, summary: String
  ) -> Self {
    Self(
      name, .choice(words), summary, default: `default`, write: SettingValue.string,
      read: \.asString)
  }
}

extension SettingKey where Value: CaseIterable & RawRepresentable<String> {
  /// A case of an enumeration, written as its raw value.
  package static func choice(_ name: String, default: Value? = nil, summary: String) -> Self {
    Self(
      name, .choice(Value.allCases.map(\.rawValue)), summary, default: `default`,
      write: { .string($0.rawValue) }, read: { $0.asString.flatMap { Value(rawValue: $0) } })
  }
}

extension SettingKey where Value == Secret {
  /// A text that is never shown.
  package static func secret(_ name: String, summary: String) -> Self {
    Self(
      name, .text, summary, default: nil, isSecret: true, write: { .string($0.exposed) },
      read: { $0.asString.map { Secret($0) } })
  }
}

extension SettingKey where Value == Bool {
  package static func flag(_ name: String, default: Bool? = nil, summary: String) -> Self {
    Self(
      name, .flag, summary, default: `default`, write: SettingValue.boolean,
      read: { if case .boolean(let flag) = $0 { flag } else { nil } })
  }
}

extension SettingKey where Value == Int {
  package static func count(
    _ name: String, in range: ClosedRange<Int> = 0...Int.max, default: Int? = nil, summary: String
  ) -> Self {
    Self(
      name, .count(range), summary, default: `default`, write: { .integer(Int64($0)) },
      read: { if case .integer(let number) = $0 { Int(exactly: number) } else { nil } })
  }
}

extension SettingKey where Value == Double {
  /// A number in the unit at the end of the name.
  package static func number(
    _ name: String, in range: ClosedRange<Double>, default: Double? = nil, summary: String
  ) -> Self {
    Self(
      name, .number(range), summary, default: `default`, write: SettingValue.number,
      read: \.asNumber)
  }
}

extension SettingKey where Value == Duration {
  package static func seconds(
    _ name: String, in range: ClosedRange<Double>, default: Double? = nil, summary: String
  ) -> Self {
    Self(
      name, .seconds(range), summary, default: `default`.map(Duration.bounded),
      write: { _ in .seconds(`default` ?? 0) },
      read: { $0.asNumber.map(Duration.bounded) })
  }
}

extension SettingKey where Value == [String] {
  package static func list(_ name: String, default: [String]? = nil, summary: String) -> Self {
    list(name, each: .text, default: `default`, summary: summary)
  }

  package static func list(
    _ name: String, of words: [String], default: [String]? = nil, summary: String
  ) -> Self {
    list(name, each: .choice(words), default: `default`, summary: summary)
  }

  /// Environment variables as `NAME=value`, whose values are never shown; empty by default.
  package static func secrets(_ name: String, summary: String) -> Self {
    list(name, each: .text, default: [], summary: summary, isSecret: true)
  }

  /// Files with secrets; empty by default.
  package static func credentials(_ name: String, summary: String) -> Self {
    list(name, each: .credential, default: [], summary: summary)
  }

  private static func list(
    _ name: String, each kind: SettingKind, default: [String]?, summary: String,
    isSecret: Bool = false
  ) -> Self {
    Self(
      name, .list(of: kind), summary, default: `default`, isSecret: isSecret,
      write: { .list($0.map(SettingValue.string)) },
      read: { if case .list(let values) = $0 { values.compactMap(\.asString) } else { nil } })
  }
}

extension SettingDeclaration {
  package static func table(
    _ name: String, of declarations: [SettingDeclaration], summary: String
  ) -> Self {
    Self(name: name, kind: .table(declarations), summary: summary)
  }
}

extension Duration {
  /// Converts seconds; clamps values beyond about thirty million years, which would trap.
  fileprivate static func bounded(_ seconds: Double) -> Duration {
    .seconds(seconds.isNaN ? 0 : min(max(seconds, -1e15), 1e15))
  }
}
