// SPDX-License-Identifier: Apache-2.0

/// What is wrong in a configuration: where, which key, and what to write instead.
///
/// Its text never holds the value of a secret.
public struct SettingsError: Error, Equatable, Sendable {
  /// What can be wrong.
  public enum Problem: Equatable, Sendable {
    /// A key that nobody declared.
    case unknownKey(String, nearest: String?)
    /// A key that a file has to say, and what it is for.
    case missing(String, summary: String)
    /// A value of another sort.
    case wrongType(expected: String, found: String)
    /// A value out of its range; the value `nil` where it is a secret.
    case outOfRange(value: String?, range: String)
    /// A word that is none of those it may be; the value `nil` where it is a secret.
    case unknownChoice(value: String?, choices: [String], nearest: String?)
    /// Settings that exclude each other, or a value that cannot be used: what, and what to do.
    case conflict(String)
    /// Not TOML.
    case syntax(String)
    /// A file that is there and cannot be read: why.
    case unreadable(String)
  }

  /// Where it stands; `nil` for what no file said.
  public let origin: SettingOrigin?
  /// The key or the table it is about: `sink.gpx.interval_seconds`; empty for the whole file.
  public let keyPath: String
  /// What is wrong.
  public let problem: Problem

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - problem: What is wrong.
  ///   - keyPath: The key or the table.
  ///   - origin: Where it stands.
  public init(_ problem: Problem, keyPath: String = "", at origin: SettingOrigin? = nil) {
    self.problem = problem
    self.keyPath = keyPath
    self.origin = origin
  }
}

extension SettingsError: CustomStringConvertible {
  /// One line: `FILE:LINE: KEY: what is wrong; what to do`.
  public var description: String {
    let place = [origin.map { "\($0)" }, keyPath.isEmpty ? nil : keyPath]
    return (place.compactMap { $0 } + [problem.description]).joined(separator: ": ")
  }
}

extension SettingsError.Problem: CustomStringConvertible {
  /// What is wrong and what to do, without the place.
  public var description: String {
    switch self {
    case .unknownKey(let name, let nearest):
      "unknown key \(SettingValue.quoted(name))"
        + (nearest == nil
          ? "; `fixcast check-config --reference` lists those that there are"
          : Self.suggestion(nearest))
    case .missing(let name, let summary):
      "\(SettingValue.quoted(name)) is missing: \(summary)"
    case .wrongType(let expected, let found): "takes \(expected), not \(found)"
    case .outOfRange(let value, let range):
      "\(value ?? Secret.mask) is out of range; takes \(range)"
    case .unknownChoice(let value, let choices, let nearest):
      "\(value.map(SettingValue.quoted) ?? Secret.mask) is none of "
        + choices.map(SettingValue.quoted).joined(separator: ", ") + Self.suggestion(nearest)
    case .conflict(let text), .syntax(let text), .unreadable(let text): text
    }
  }

  private static func suggestion(_ nearest: String?) -> String {
    nearest.map { "; did you mean \(SettingValue.quoted($0))?" } ?? ""
  }
}
