// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// What is wrong with a command line, in one line that leads on.
struct UsageFault: CustomStringConvertible {
  /// What is wrong, and what to type instead or where to look.
  let description: String

  /// Puts the parser's words into the shape of every other error.
  ///
  /// - Parameters:
  ///   - message: What the parser, or a command's own check, says.
  ///   - full: The same with all that the parser says beside it, of which what the argument is for
  ///     is taken.
  ///   - words: The words behind the program's name.
  ///   - command: The root command.
  init(
    _ message: String, full: String = "", _ words: [String], of command: CommandConfiguration
  ) {
    var text = Self.begun(
      message.split(whereSeparator: \.isNewline).joined(separator: " ").onOneLine
        .replacing(". Did you mean ", with: "; did you mean "))
    if let help = Self.help(in: full) { text += ": \(Self.begun(help.onOneLine))" }
    if text.hasSuffix(".") { text.removeLast() }
    // Who is told what was meant needs to read no more.
    let hint = text.hasSuffix("?") ? "" : "; see: \(Self.path(words, command)) --help"
    description = text + hint
  }

  /// A sentence as it goes on behind a colon.
  private static func begun(_ text: String) -> String {
    guard let first = text.first, text.dropFirst().first?.isLowercase == true else { return text }
    return first.lowercased() + text.dropFirst()
  }

  /// What the argument is for: behind its name on the line that begins so.
  private static func help(in full: String) -> String? {
    let mark = "Help:  "
    return full.split(whereSeparator: \.isNewline).first { $0.hasPrefix(mark) }
      .flatMap { $0.dropFirst(mark.count).split(separator: "  ", maxSplits: 1).dropFirst().first }
      .map(String.init)
  }

  /// The subcommand that was called, with those it is part of.
  private static func path(_ words: [String], _ command: CommandConfiguration) -> String {
    var (names, command) = (["fixcast"], command)
    for word in words {
      guard
        let next = command.subcommands.first(where: { $0.configuration.commandName == word })
      else { break }
      names.append(word)
      command = next.configuration
    }
    return names.joined(separator: " ")
  }
}
