// SPDX-License-Identifier: Apache-2.0

/// A key as far as it can be told without its type in Swift: what the check for unknown keys, the
/// reference and the default file are made from.
public struct SettingDeclaration: Sendable {
  /// The key in snake case, its unit last: `interval_seconds`.
  public let name: String
  /// What it takes.
  public let kind: SettingKind
  /// What it is for, in a sentence without an end.
  public let summary: String
  /// What holds where no file says anything; `nil` where there is no default.
  public let defaultValue: SettingValue?
  /// Whether a file has to say it.
  public let isRequired: Bool
  /// Whether its value is written nowhere: not in an error, not by `check-config --show`.
  public let isSecret: Bool
  /// What the reference shows where there is no default.
  public let example: SettingValue?

  /// Declares a key; ``SettingKey`` does it with the type in Swift.
  ///
  /// - Parameters:
  ///   - name: The key.
  ///   - kind: What it takes.
  ///   - summary: What it is for.
  ///   - defaultValue: What holds where no file says anything.
  ///   - isRequired: Whether a file has to say it.
  ///   - isSecret: Whether its value is written nowhere.
  ///   - example: What the reference shows where there is no default.
  public init(
    name: String, kind: SettingKind, summary: String, defaultValue: SettingValue? = nil,
    isRequired: Bool = false, isSecret: Bool = false, example: SettingValue? = nil
  ) {
    self.name = name
    self.kind = kind
    self.summary = summary
    self.defaultValue = defaultValue
    self.isRequired = isRequired
    self.isSecret = isSecret
    self.example = example
  }

  /// A value as the reference and `--show` write it; the mask for a secret that is no default.
  ///
  /// - Parameter value: A value of this key.
  /// - Returns: As TOML writes it.
  public func text(of value: SettingValue) -> String {
    isSecret && value != defaultValue ? Secret.mask : value.literal
  }
}

extension SettingValue {
  /// The value as TOML writes it, secrets in it included.
  package var literal: String {
    switch self {
    case .string(let text): Self.quoted(text)
    case .integer(let number): String(number)
    case .number(let number): Self.literal(number)
    case .boolean(let flag): String(flag)
    case .list(let values): "[" + values.map(\.literal).joined(separator: ", ") + "]"
    case .table(let table):
      "{ "
        + table.entries.map { "\(Self.key($0.name)) = \($0.value.literal)" }
        .joined(separator: ", ") + " }"
    }
  }

  /// A name as TOML writes it: bare where that can be.
  ///
  /// - Parameter name: The name.
  /// - Returns: The name, in quotes where it needs them.
  public static func key(_ name: String) -> String {
    let isBare = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    return isBare && !name.isEmpty ? name : quoted(name)
  }

  private static func literal(_ number: Double) -> String {
    if number.isNaN { return "nan" }
    if number.isInfinite { return number < 0 ? "-inf" : "inf" }
    return "\(number)"
  }

  /// A text in quotes; what a terminal could take for a command is written as its number.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      case _ where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value):
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
