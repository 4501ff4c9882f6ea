// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FixcastConfiguration

/// The error for an unknown subcommand, with a suggestion.
struct UnknownCommand: CustomStringConvertible {
  /// The `systemctl` or `journalctl` command for each word that a user may try as a subcommand.
  private static let serviceCommands = [
    "start": "sudo systemctl start fixcast", "stop": "sudo systemctl stop fixcast",
    "restart": "sudo systemctl restart fixcast", "reload": "sudo systemctl reload fixcast",
    "enable": "sudo systemctl enable --now fixcast",
    "disable": "sudo systemctl disable --now fixcast",
    "log": "journalctl -u fixcast", "logs": "journalctl -u fixcast",
  ]
  private let word: String
  private let nearest: String?

  /// Checks the first argument, or the one after `help`; `nil` if it is a subcommand or an option,
  /// or if there is none.
  init?(_ words: [String], of command: CommandConfiguration) {
    let names = command.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    let words = words.first == "help" ? words.dropFirst() : words[...]
    guard let word = words.first, !word.hasPrefix("-"), !names.contains(word) else { return nil }
    self.word = word
    nearest = Spelling.nearest(to: word, in: names)
  }

  /// The error and the command to type instead.
  var description: String {
    if let command = Self.serviceCommands[word] {
      return "'\(word)' is not a subcommand; for the service: \(command)"
    }
    return "'\(word.onOneLine)' is not a subcommand; "
      + (nearest.map { "did you mean: fixcast \($0)" } ?? "see: fixcast --help")
  }
}
