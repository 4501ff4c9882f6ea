// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeatherClientLive

/// The program.
///
/// Each subcommand is one file and one line here.
@main
struct Fixcast: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fixcast",
    abstract: "The GPS bridge for headless Linux boards, with the weather built in.",
    version: Fixcast.versionText(for: CommandLine.arguments),
    subcommands: [
      DemoCommand.self, DecodeCommand.self, ReplayCommand.self, SimulateCommand.self,
      LocateCommand.self, WatchCommand.self, DoctorCommand.self, DevicesCommand.self,
      StatusCommand.self, AuthCommand.self, PathCommand.self, WeatherCommand.self,
      RunCommand.self, CheckConfigCommand.self,
    ])

  /// The version alone.
  static let version = ProgramVersion.text

  /// The text of `--version`; with `--verbose` also the credits that licences of data require, and
  /// each linked library with its version and licence.
  static func versionText(for arguments: [String]) -> String {
    guard arguments.contains("--verbose") else { return version }
    return "fixcast \(version)\n\(Gazetteer.attribution)\nLibraries:\n\(LinkedLibraries.text)"
  }

  /// Runs what the command line says.
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

  /// Ends as the parser would, but for its errors: those are one line, as all are here.
  private static func end(with error: any Error, _ words: [String]) -> Never {
    let (code, message) = (exitCode(for: error), message(for: error))
    // Help, versions and completions are data, and who ends with a code alone has said why.
    guard !code.isSuccess, !message.isEmpty else { exit(withError: error) }
    guard code == .validationFailure else {
      StandardError.print("fixcast: \(message.onOneLine)")
      exit(withError: code)
    }
    let fault = UsageFault(
      message, full: fullMessage(for: error, columns: nil), words, of: configuration)
    exit(withError: CommandFailure.usage("\(fault)"))
  }

  /// The arguments with coordinates that begin with a minus marked as values: half of the world
  /// would be unknown options otherwise.
  static func arguments(_ arguments: [String]) -> [String] {
    arguments.map { argument in
      let rest = argument.dropFirst()
      let isCoordinate =
        argument.hasPrefix("-") && rest.contains(",")
        && rest.first.map { $0.isNumber || $0 == "." } == true
      return isCoordinate ? " " + argument : argument
    }
  }
}
