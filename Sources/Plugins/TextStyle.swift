// SPDX-License-Identifier: Apache-2.0

/// Colours, where they are welcome.
struct TextStyle: Sendable {
  enum Tone { case plain, good, bad }

  var usesColor: Bool

  func apply(_ tone: Tone, _ text: String) -> String {
    guard usesColor else { return text }
    return switch tone {
    case .plain: text
    case .good: "\u{1B}[32m\(text)\u{1B}[0m"
    case .bad: "\u{1B}[33m\(text)\u{1B}[0m"
    }
  }
}
