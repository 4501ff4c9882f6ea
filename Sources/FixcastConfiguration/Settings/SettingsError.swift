// SPDX-License-Identifier: Apache-2.0

/// An error in a configuration, with its file and line, the key and a correction.
///
/// Values of secrets are never included.
package struct SettingsError: Error, Equatable, Sendable {
  package enum Problem: Equatable, Sendable {
    case unknownKey(String, nearest: String?)
    case missing(String, summary: String)
    case wrongType(expected: String, found: String)
    /// The value is `nil` for a secret.
    case outOfRange(value: String?, range: String)
    /// The value is `nil` for a secret.
    case unknownChoice(value: String?, choices: [String], nearest: String?)
    /// Settings that cannot be combined, or an unusable value.
    case conflict(String)
    case syntax(String)
    case unreadable(String)
  }

  /// The file and line; `nil` for settings that are not from a file.
  package let origin: SettingOrigin?
  /// The key path, such as `sink.gpx.interval_seconds`; empty for the whole file.
  package let keyPath: String
  package let problem: Problem

  package init(_ problem: Problem, keyPath: String = "", at origin: SettingOrigin? = nil) {
    self.problem = problem
    self.keyPath = keyPath
    self.origin = origin
  }
}

extension SettingsError: CustomStringConvertible {
  /// `FILE:LINE: KEY: error; correction`.
  package var description: String {
    let place = [origin.map { "\($0)" }, keyPath.isEmpty ? nil : keyPath]
    return (place.compactMap { $0 } + [problem.description]).joined(separator: ": ")
  }
}

extension SettingsError.Problem: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unknownKey(let name, let nearest):
      "unknown key \(SettingValue.quoted(name))"
        + (nearest == nil
          ? "; list all keys with: fixcast check-config --reference"
          : Self.suggestion(nearest))
    case .missing(let name, let summary):
      "\(SettingValue.quoted(name)) is missing: \(summary)"
    case .wrongType(let expected, let found): "expected \(expected), got \(found)"
    case .outOfRange(let value, let range):
      "\(value ?? Secret.mask) is out of range; expected \(range)"
    case .unknownChoice(let value, let choices, let nearest):
      "\(value.map(SettingValue.quoted) ?? Secret.mask) is invalid; expected one of "
        + choices.map(SettingValue.quoted).joined(separator: ", ") + Self.suggestion(nearest)
    case .conflict(let text), .syntax(let text), .unreadable(let text): text
    }
  }

  private static func suggestion(_ nearest: String?) -> String {
    nearest.map { "; did you mean \(SettingValue.quoted($0))?" } ?? ""
  }
}

package struct SettingsErrors: Error, Equatable, Sendable, CustomStringConvertible {
  package let all: [SettingsError]

  /// Sorts the errors by file and line; errors without a file come last.
  package init(_ errors: [SettingsError]) {
    all =
      errors.enumerated().sorted { one, other in
        switch (one.element.origin, other.element.origin) {
        case (let one?, let other?) where one != other: one < other
        case (nil, _?): false
        case (_?, nil): true
        default: one.offset < other.offset
        }
      }.map(\.element)
  }

  package var description: String { all.map(\.description).joined(separator: "\n") }
}

package struct SettingOrigin: Hashable, Sendable, Comparable, CustomStringConvertible {
  package let file: String
  /// The line, starting at 1; `nil` for the whole file.
  package let line: Int?
  /// The column in characters, starting at 1; `nil` for the whole line.
  package let column: Int?

  package init(file: String, line: Int? = nil, column: Int? = nil) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// `FILE:LINE:COLUMN`, as far as known.
  package var description: String {
    guard let line else { return file }
    return "\(file):\(line)" + (column.map { ":\($0)" } ?? "")
  }

  package static func < (left: Self, right: Self) -> Bool {
    (left.file, left.line ?? 0, left.column ?? 0) < (right.file, right.line ?? 0, right.column ?? 0)
  }
}
