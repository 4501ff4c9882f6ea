// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A usage error as one line, with a hint.
struct UsageFault: CustomStringConvertible {
  /// The error, and the correction or the help command.
  let description: String

  /// Formats the argument parser's message like every other error.
  ///
  /// - Parameters:
  ///   - message: The message of the parser or of a command's own validation.
  ///   - full: The parser's complete message, from which the argument's help is taken.
  ///   - words: The arguments.
  ///   - command: The root command.
  init(
    _ message: String, full: String = "", _ words: [String], of command: CommandConfiguration
  ) {
    var text = Self.lowercasingFirst(
      message.split(whereSeparator: \.isNewline).joined(separator: " ").onOneLine
        .replacing(". Did you mean ", with: "; did you mean ")
        .replacing(". Please provide one of ", with: "; use one of "))
    // A list of the valid values replaces the help.
    if !text.contains("; use one of "), let help = Self.help(in: full) {
      text += ": \(Self.lowercasingFirst(help.onOneLine))"
    }
    if text.hasSuffix(".") { text.removeLast() }
    // A suggestion needs no further hint.
    let hint = text.hasSuffix("?") ? "" : "; see: \(Self.path(words, command)) --help"
    description = text + hint
  }

  /// Returns the first option that the help of the subcommand does not name; `nil` if there is none.
  ///
  /// The parser checks the value after such an option as an argument, and reports that first.
  static func unknownOption(
    _ words: [String], of command: any ParsableCommand.Type
  ) -> Substring? {
    var (command, rest) = (command, words[...])
    while let word = rest.first,
      let next = command.configuration.subcommands.first(where: {
        $0.configuration.commandName == word
      })
    {
      (command, rest) = (next, rest.dropFirst())
    }
    let names = Set(
      command.helpMessage(includeHidden: true)
        .split { !($0.isLetter || $0.isNumber || $0 == "-") })
    return rest.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
      .map { $0.prefix { $0 != "=" } }.first { !names.contains($0) }
  }

  /// Returns the text with its first letter in lower case, to be appended after a colon.
  private static func lowercasingFirst(_ text: String) -> String {
    guard let first = text.first, text.dropFirst().first?.isLowercase == true else { return text }
    return first.lowercased() + text.dropFirst()
  }

  /// Returns the help of the argument, from the line that begins with "Help:".
  private static func help(in full: String) -> String? {
    let prefix = "Help:  "
    return full.split(whereSeparator: \.isNewline).first { $0.hasPrefix(prefix) }
      .flatMap { $0.dropFirst(prefix.count).split(separator: "  ", maxSplits: 1).dropFirst().first }
      .map(String.init)
  }

  /// Returns the full name of the subcommand, such as `fixcast auth allow`.
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
