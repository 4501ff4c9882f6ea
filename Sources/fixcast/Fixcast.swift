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
      AuthCommand.self, PathCommand.self, WeatherCommand.self,
    ])

  /// The version alone.
  static let version = "0.1.0"

  /// What `--version` prints; with `--verbose` also whom the licences of data want named.
  static func versionText(for arguments: [String]) -> String {
    guard arguments.contains("--verbose") else { return version }
    return "fixcast \(version)\n\(Gazetteer.attribution)"
  }
}
