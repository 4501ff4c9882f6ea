// SPDX-License-Identifier: Apache-2.0

/// The kind of value that a key accepts.
package indirect enum SettingKind: Sendable {
  /// A text that is not empty.
  case text
  case path
  /// The name of a credential of the service manager, or an absolute path.
  case credential
  case flag
  case count(ClosedRange<Int>)
  case number(ClosedRange<Double>)
  case seconds(ClosedRange<Double>)
  case choice([String])
  case list(of: SettingKind)
  case table([SettingDeclaration])

  /// A description of the accepted values for errors and the reference.
  package var expectation: String {
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

  func problem(with value: SettingValue, isSecret: Bool) -> SettingsError.Problem? {
    let wrongType = SettingsError.Problem.wrongType(expected: expectation, found: value.typeName)
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

  /// Formats a number; a whole number is written without a decimal point.
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
