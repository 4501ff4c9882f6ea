// SPDX-License-Identifier: Apache-2.0

/// What values a key takes.
public indirect enum SettingKind: Sendable {
  /// Text, not empty.
  case text
  /// The path of a file, a folder or a device; not empty.
  case path
  /// The file that a secret lies in: the name of a credential that the service manager passed, or
  /// an absolute path.
  case credential
  /// `true` or `false`.
  case flag
  /// A whole number.
  case count(ClosedRange<Int>)
  /// A number, in the unit that the key's name ends with.
  case number(ClosedRange<Double>)
  /// A length of time in seconds, fractions allowed.
  case seconds(ClosedRange<Double>)
  /// One of a few words.
  case choice([String])
  /// A list of values of a kind.
  case list(of: SettingKind)
  /// A table with keys of its own.
  case table([SettingDeclaration])

  /// What it takes, as an error and the reference name it.
  public var expectation: String {
    switch self {
    case .text: "text in quotes"
    case .path: "a path in quotes"
    case .credential: "a credential's name or an absolute path in quotes"
    case .flag: "true or false"
    case .count(let range): "a whole number " + Self.text(range.lowerBound, range.upperBound)
    case .number(let range): "a number " + Self.text(range)
    case .seconds(let range): "seconds " + Self.text(range)
    case .choice(let words): words.map { "\"\($0)\"" }.joined(separator: ", ")
    case .list(let kind): "a list in brackets, each " + kind.expectation
    case .table: "a table"
    }
  }

  /// What is wrong with a value.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - isSecret: Whether the problem must not tell the value.
  /// - Returns: `nil` for a value that fits.
  func problem(with value: SettingValue, isSecret: Bool) -> SettingsError.Problem? {
    let wrongType = SettingsError.Problem.wrongType(expected: expectation, found: value.sort)
    switch (self, value) {
    case (.text, .string(let text)), (.path, .string(let text)),
      (.credential, .string(let text)):
      return text.isEmpty ? .outOfRange(value: isSecret ? nil : "empty", range: expectation) : nil
    case (.flag, .boolean), (.table, .table): return nil
    case (.count(let range), .integer(let number)):
      if let number = Int(exactly: number), range.contains(number) { return nil }
      return .outOfRange(value: isSecret ? nil : String(number), range: expectation)
    case (.number(let range), .integer), (.number(let range), .number),
      (.seconds(let range), .integer), (.seconds(let range), .number):
      guard let number = value.asNumber else { return wrongType }
      if range.contains(number) { return nil }
      return .outOfRange(value: isSecret ? nil : Self.text(number), range: expectation)
    case (.choice(let words), .string(let word)):
      if words.contains(word) { return nil }
      return .unknownChoice(
        value: isSecret ? nil : word, choices: words, nearest: Spelling.nearest(to: word, in: words)
      )
    case (.list(let kind), .list(let values)):
      return values.lazy.compactMap { kind.problem(with: $0, isSecret: isSecret) }.first
    default: return wrongType
    }
  }

  /// A number without a fraction that says nothing.
  static func text(_ number: Double) -> String {
    Int64(whole: number).map(String.init) ?? "\(number)"
  }

  private static func text(_ range: ClosedRange<Double>) -> String {
    if range.upperBound >= .greatestFiniteMagnitude { return "from \(text(range.lowerBound))" }
    return "from \(text(range.lowerBound)) to \(text(range.upperBound))"
  }

  private static func text(_ lower: Int, _ upper: Int) -> String {
    upper == .max ? "from \(lower)" : "from \(lower) to \(upper)"
  }
}
