// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeatherClientLive

/// The `fixcast` program and its subcommands.
@main
struct Fixcast: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fixcast",
    abstract: "GPS bridge with weather for headless Linux boards.",
    version: Fixcast.versionText(for: CommandLine.arguments),
    subcommands: [
      DemoCommand.self, DecodeCommand.self, ReplayCommand.self, SimulateCommand.self,
      LocateCommand.self, WatchCommand.self, DoctorCommand.self, DevicesCommand.self,
      StatusCommand.self, AuthCommand.self, PathCommand.self, WeatherCommand.self,
      TrackCommand.self, WebCommand.self,
      RunCommand.self, CheckConfigCommand.self,
    ])

  /// The version number.
  static let version = ProgramVersion.text

  /// Returns the text of `--version`.
  ///
  /// With `--verbose` the text includes the credits that data licences require, and the version and
  /// licence of each linked library.
  static func versionText(for arguments: [String]) -> String {
    guard arguments.contains("--verbose") else { return version }
    return "fixcast \(version)\n\(Gazetteer.attribution)\nLibraries:\n\(LinkedLibraries.text)"
  }

  /// Parses the command line and runs the command.
  static func main() async {
    Output.checkAtExit()
    let words = arguments(Array(CommandLine.arguments.dropFirst()))
    if let fault = UnknownCommand(words, of: configuration) {
      exit(withError: CommandFailure.usage("\(fault)"))
    }
    do {
      var command = try await asyncParseAsRoot(words)
      try DescriptorLimit.prepare(for: command)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      end(with: error, words)
    }
  }

  /// Exits like the argument parser, but with usage errors as one line.
  private static func end(with error: any Error, _ words: [String]) -> Never {
    let (code, message) = (exitCode(for: error), message(for: error))
    // Help, versions and completions go to standard output. An error that is only an exit code
    // has already been reported.
    guard !code.isSuccess, !message.isEmpty else { exit(withError: error) }
    guard code == .validationFailure else {
      StandardError.print("fixcast: \(message.onOneLine)")
      exit(withError: code)
    }
    var text = message
    if !message.hasPrefix("Unknown option"),
      let option = UsageFault.unknownOption(words, of: Self.self)
    {
      text = "Unknown option '\(option)'"
    }
    let fault = UsageFault(
      text, full: fullMessage(for: error, columns: nil), words, of: configuration)
    exit(withError: CommandFailure.usage("\(fault)"))
  }

  /// Returns the arguments as the parser needs them.
  ///
  /// A space is added before each negative coordinate, so that the parser does not read it as an
  /// option. The arguments of `weather` may also be a latitude and a longitude without a comma. A
  /// number after an option with a value is that value. `-V` and `version` become `--version`.
  static func arguments(_ arguments: [String]) -> [String] {
    if ["-V", "version"].contains(arguments.first) {
      return ["--version"] + arguments.dropFirst()
    }
    let isWeather = arguments.first == WeatherCommand.configuration.commandName
    return arguments.indices.map { index in
      let argument = arguments[index]
      let before = index > 0 ? arguments[index - 1] : ""
      let isValue =
        before.hasPrefix("--") && !before.contains("=") && !["--json", "--hourly"].contains(before)
      let rest = argument.dropFirst()
      let isCoordinate =
        argument.hasPrefix("-") && (isWeather && !isValue || rest.contains(","))
        && rest.first.map { $0.isNumber || $0 == "." } == true
      return isCoordinate ? " " + argument : argument
    }
  }
}
