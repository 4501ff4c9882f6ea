// SPDX-License-Identifier: Apache-2.0

/// Adds colours to terminal output, unless colours are disabled.
package struct TextStyle: Equatable, Sendable {
  package enum Tone: Sendable { case plain, good, bad, strong }

  package var usesColor: Bool

  package init(usesColor: Bool) { self.usesColor = usesColor }

  package func apply(_ tone: Tone, _ text: String) -> String {
    guard usesColor else { return text }
    return switch tone {
    case .plain: text
    case .good: "\u{1B}[32m\(text)\u{1B}[0m"
    case .bad: "\u{1B}[33m\(text)\u{1B}[0m"
    case .strong: "\u{1B}[1m\(text)\u{1B}[0m"
    }
  }
}
