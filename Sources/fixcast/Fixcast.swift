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

  /// What `--version` prints; with `--verbose` also whom the licences of data want named.
  static func versionText(for arguments: [String]) -> String {
    guard arguments.contains("--verbose") else { return version }
    return "fixcast \(version)\n\(Gazetteer.attribution)"
  }

  /// Runs what the command line says.
  static func main() async {
    let words = arguments(Array(CommandLine.arguments.dropFirst()))
    if let fault = UnknownCommand(words, of: configuration) {
      exit(withError: CommandFailure.usage("\(fault)"))
    }
    await main(words)
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
