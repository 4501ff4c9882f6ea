// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The program.
///
/// Each subcommand is one file and one line here.
@main
struct Fixcast: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fixcast",
    abstract: "The GPS bridge for headless Linux boards, with the weather built in.",
    version: Fixcast.version,
    subcommands: [
      DemoCommand.self, DecodeCommand.self, ReplayCommand.self, SimulateCommand.self,
      LocateCommand.self, WatchCommand.self, DoctorCommand.self, DevicesCommand.self,
      AuthCommand.self, PathCommand.self,
    ])

  /// What `--version` prints.
  static let version = "0.1.0"
}
