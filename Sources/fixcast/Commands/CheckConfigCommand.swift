// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import FixcastConfiguration
import Glibc
import LocationServices

/// `fixcast check-config [FILE]`: reports errors of the configuration and starts nothing.
struct CheckConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-config",
    abstract: "Report errors of the configuration, with file, line and key.",
    discussion: """
      Reads the daemon's files, /etc/fixcast/config.toml and /etc/fixcast/conf.d/*.toml (all \
      optional), and the authorization rules in /etc/fixcast/policy.d and \
      /usr/lib/fixcast/policy.d. If FILE is given, reads only FILE. Starts nothing and opens no \
      receiver. Secrets are never shown. Warns of directories that a sink cannot write to, of \
      receivers that are not connected, and of files in conf.d whose names do not end in .toml.

      Exits 78 if there is an error, 66 if FILE does not exist.

      Examples:
        fixcast check-config
        fixcast check-config --show | grep weather
        fixcast check-config --reference | less
      """)

  @Argument(help: "File to check instead of the daemon's files.", completion: .file())
  var file: String?

  @Flag(name: .long, help: "Print every effective value and the file that sets it.")
  var show = false

  @Flag(name: .long, help: "Print one JSON object per line.")
  var json = false

  @Flag(name: .long, help: "Print the reference of all keys in Markdown; check nothing.")
  var reference = false

  @Flag(name: .long, help: "Print a file with every key at its default; check nothing.")
  var defaultFile = false

  func validate() throws {
    guard reference || defaultFile else { return }
    if (reference && defaultFile) || file != nil || show || json {
      throw ValidationError(
        "--reference and --default-file cannot be combined with other options or a file.")
    }
  }

  func run() async throws {
    // Makes a write to a closed pipe fail instead of killing the program.
    signal(SIGPIPE, SIG_IGN)
    let catalog = ConfigurationCatalog.known
    let printer = ConfigurationPrinter(json: json)
    if reference { return try printer.print(ConfigurationReference.page(catalog)) }
    if defaultFile { return try printer.print(ConfigurationReference.defaultFile(catalog)) }
    var loader = try ConfigurationSource(file: file).loader()
    loader.isService = false
    // Rules belong to the board's own configuration. If a file is named, rules are not checked.
    let ruleErrors =
      file == nil ? PolicyCheck.errors(in: AuthPathOptions.rulePaths.folders).all : []
    switch loader.load() {
    case .failure(let errors):
      try printer.print(SettingsErrors(errors.all + ruleErrors))
      throw ExitCode(78)
    case .success(let loaded):
      let errors = loaded.secretErrors.all + ruleErrors
      guard errors.isEmpty else {
        try printer.print(SettingsErrors(errors))
        throw ExitCode(78)
      }
      let unit = file == nil ? await ServiceUnit.installed() : nil
      let board = BoardCheck(loaded, catalog, unit: unit)
      let warnings = SettingsErrors(loaded.secretWarnings.all + board.warnings().all)
      try printer.print(warnings: warnings)
      try show
        ? printer.print(EffectiveSetting.all(loaded, catalog))
        : printer.print(loaded.configuration, warningCount: warnings.all.count)
    }
  }
}
