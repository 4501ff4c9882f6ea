// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeatherClientLive

/// The `fixcast-fleet` program and its subcommands.
@main
struct FixcastFleet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fixcast-fleet",
    abstract: "Write the positions of many boards from an MQTT broker to PostgreSQL.",
    version: ProgramVersion.text,
    subcommands: [
      InitCommand.self, RunCommand.self, StatusCommand.self, BoardsCommand.self,
      SimulateCommand.self,
    ])
}
