// SPDX-License-Identifier: Apache-2.0

// Without a default a file has to say the value, unless the key is made `optional`.

extension SettingKey where Value == String {
  /// A text.
  public static func text(_ name: String, default: String? = nil, summary: String) -> Self {
    Self(
      name, .text, summary: summary, written: `default`.map(SettingValue.string),
      fallback: `default`, read: \.asString)
  }

  /// The path of a file, a folder or a device.
  public static func path(_ name: String, default: String? = nil, summary: String) -> Self {
    Self(
      name, .path, summary: summary, written: `default`.map(SettingValue.string),
      fallback: `default`, read: \.asString)
  }

  /// One of a few words.
  public static func choice(
    _ name: String, of words: [String], default: String? = nil, summary: String
  ) -> Self {
    Self(
      name, .choice(words), summary: summary, written: `default`.map(SettingValue.string),
      fallback: `default`, read: \.asString)
  }
}

extension SettingKey where Value: CaseIterable & RawRepresentable<String> {
  /// One of an enumeration's cases, written as their raw values.
  public static func choice(_ name: String, default: Value? = nil, summary: String) -> Self {
    Self(
      name, .choice(Value.allCases.map(\.rawValue)), summary: summary,
      written: `default`.map { .string($0.rawValue) }, fallback: `default`,
      read: { $0.asString.flatMap { Value(rawValue: $0) } })
  }
}

extension SettingKey where Value == String {
  /// The file that a secret lies in: a credential's name or a path.
  public static func credential(_ name: String, summary: String) -> Self {
    Self(name, .credential, summary: summary, written: nil, fallback: nil, read: \.asString)
  }
}

extension SettingKey where Value == Secret {
  /// A text that is shown nowhere; a file of its own is the better place for it.
  public static func secret(_ name: String, summary: String) -> Self {
    Self(
      name, .text, summary: summary, written: nil, fallback: nil, isSecret: true,
      read: { $0.asString.map { Secret($0) } })
  }
}

extension SettingKey where Value == Bool {
  /// Yes or no.
  public static func flag(_ name: String, default: Bool? = nil, summary: String) -> Self {
    Self(
      name, .flag, summary: summary, written: `default`.map(SettingValue.boolean),
      fallback: `default`,
      read: { if case .boolean(let flag) = $0 { flag } else { nil } })
  }
}

extension SettingKey where Value == Int {
  /// A whole number.
  public static func count(
    _ name: String, in range: ClosedRange<Int> = 0...Int.max, default: Int? = nil, summary: String
  ) -> Self {
    Self(
      name, .count(range), summary: summary, written: `default`.map { .integer(Int64($0)) },
      fallback: `default`,
      read: { if case .integer(let number) = $0 { Int(exactly: number) } else { nil } })
  }
}

extension SettingKey where Value == Double {
  /// A number, in the unit that the name ends with.
  public static func number(
    _ name: String, in range: ClosedRange<Double>, default: Double? = nil, summary: String
  ) -> Self {
    Self(
      name, .number(range), summary: summary, written: `default`.map(SettingValue.number),
      fallback: `default`, read: \.asNumber)
  }
}

extension SettingKey where Value == Duration {
  /// A length of time in seconds, fractions allowed.
  public static func seconds(
    _ name: String, in range: ClosedRange<Double>, default: Double? = nil, summary: String
  ) -> Self {
    Self(
      name, .seconds(range), summary: summary, written: `default`.map(SettingValue.seconds),
      fallback: `default`.map(Duration.bounded), read: { $0.asNumber.map(Duration.bounded) })
  }
}

extension SettingKey where Value == [String] {
  /// A list of texts.
  public static func list(_ name: String, default: [String]? = nil, summary: String) -> Self {
    list(name, each: .text, default: `default`, summary: summary)
  }

  /// A list of a few words.
  public static func list(
    _ name: String, of words: [String], default: [String]? = nil, summary: String
  ) -> Self {
    list(name, each: .choice(words), default: `default`, summary: summary)
  }

  /// A list of texts that are shown nowhere, empty where no file says it.
  public static func secrets(_ name: String, summary: String) -> Self {
    list(name, each: .text, default: [], summary: summary, isSecret: true)
  }

  /// A list of files that secrets lie in, empty where no file says it.
  public static func credentials(_ name: String, summary: String) -> Self {
    list(name, each: .credential, default: [], summary: summary)
  }

  private static func list(
    _ name: String, each kind: SettingKind, default: [String]?, summary: String,
    isSecret: Bool = false
  ) -> Self {
    Self(
      name, .list(of: kind), summary: summary,
      written: `default`.map { .list($0.map(SettingValue.string)) }, fallback: `default`,
      isSecret: isSecret,
      read: { if case .list(let values) = $0 { values.compactMap(\.asString) } else { nil } })
  }
}

extension SettingDeclaration {
  /// A table with keys of its own, which no file has to say.
  public static func table(
    _ name: String, of declarations: [SettingDeclaration], summary: String
  ) -> Self {
    Self(
      name: name, kind: .table(declarations), summary: summary, defaultValue: nil,
      isRequired: false, isSecret: false, example: nil)
  }
}

extension SettingValue {
  /// The table.
  var asTable: SettingsTable? { if case .table(let table) = self { table } else { nil } }

  /// The text.
  var asString: String? { if case .string(let text) = self { text } else { nil } }

  /// A number of seconds, without a fraction that says nothing.
  static func seconds(_ number: Double) -> SettingValue {
    Int64(whole: number).map(SettingValue.integer) ?? .number(number)
  }
}

extension Duration {
  /// As many seconds, or some thirty million years where that is less: more would trap.
  static func bounded(_ seconds: Double) -> Duration {
    .seconds(seconds.isNaN ? 0 : min(max(seconds, -1e15), 1e15))
  }
}
