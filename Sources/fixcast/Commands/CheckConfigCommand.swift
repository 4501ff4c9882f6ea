// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import FixcastConfiguration
import Glibc
import LocationServices

/// `fixcast check-config [FILE]`: says what is wrong, and starts nothing.
struct CheckConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-config",
    abstract: "Say what is wrong with the configuration, with file, line and key.",
    discussion: """
      Reads what the daemon would: /etc/fixcast/config.toml and /etc/fixcast/conf.d/*.toml, none \
      of which has to be there, and beside them the rules of who may know where the board is, in \
      /etc/fixcast/policy.d and /usr/lib/fixcast/policy.d; or FILE alone. Starts nothing, and opens \
      no receiver. Secrets are never shown. Warns of folders that sinks cannot write into as things are, of receivers that \
      are not there now, and of files in conf.d whose names do not end in .toml.

      Exits 78 where anything is wrong, 66 where FILE is not there.
      """)

  @Argument(help: "The file, instead of those that the daemon reads.")
  var file: String?

  @Flag(name: .long, help: "Print every value that holds, and where it was written.")
  var show = false

  @Flag(name: .long, help: "Print one JSON object a line.")
  var json = false

  @Flag(name: .long, help: "Print the reference of all keys in Markdown, and check nothing.")
  var reference = false

  @Flag(name: .long, help: "Print a file with every key at its default, and check nothing.")
  var defaultFile = false

  func validate() throws {
    guard reference || defaultFile else { return }
    if (reference && defaultFile) || file != nil || show || json {
      throw ValidationError("--reference and --default-file print a text and stand alone.")
    }
  }

  func run() throws {
    // A reader that goes away is an error of the write, not the end of the program.
    signal(SIGPIPE, SIG_IGN)
    let catalog = ConfigurationCatalog.known
    let printer = ConfigurationPrinter(json: json)
    if reference { return try printer.print(ConfigurationReference.page(catalog)) }
    if defaultFile { return try printer.print(ConfigurationReference.defaultFile(catalog)) }
    let read = try ConfigurationSource(file: file).loader().load()
    // The rules are the board's, and go with the files that its daemon reads.
    let mistakes = file == nil ? PolicyCheck.errors(in: AuthPathOptions.ofRules.folders).all : []
    switch read {
    case .failure(let errors):
      try printer.print(SettingsErrors(errors.all + mistakes))
      throw ExitCode(78)
    case .success where !mistakes.isEmpty:
      try printer.print(SettingsErrors(mistakes))
      throw ExitCode(78)
    case .success(let loaded):
      let warnings = BoardCheck(loaded, catalog).warnings()
      try printer.print(warnings: warnings)
      try show
        ? printer.print(EffectiveSetting.all(loaded, catalog))
        : printer.print(loaded.configuration, warningCount: warnings.all.count)
    }
  }
}
