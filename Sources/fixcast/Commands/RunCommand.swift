// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import FixcastConfiguration
import Glibc

/// `fixcast run`: the daemon.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run the daemon: keep the receiver open, look up the weather, serve who may know.",
    discussion: """
      Needs no configuration: without one, whatever receiver is plugged in is read, or gpsd where \
      it answers, and programs are served on /run/fixcast/fixcast.sock. Reads \
      /etc/fixcast/config.toml and /etc/fixcast/conf.d/*.toml, or the file of --config alone, and \
      reads them again on SIGHUP (systemctl reload fixcast). A broken configuration leaves the one \
      before in force, and each error is logged. Ends on SIGTERM and SIGINT.

      FIXCAST_SOCKET and FIXCAST_STATE_DIRECTORY of the environment, by which commands find it and \
      its answers, count before socket and state_directory of the configuration, as they do for \
      commands.

      Exits 66 where the file of --config is not there, 69 where it cannot serve, 78 where the \
      configuration is wrong.
      """)

  @Option(name: .long, help: "The configuration, instead of the files in /etc/fixcast.")
  var config: String?

  func run() async throws {
    // A reader that goes away is an error of the write, not the end of the program.
    signal(SIGPIPE, SIG_IGN)
    // Until the daemon hears it: its default action would end it, and nobody would start it anew.
    signal(SIGHUP, SIG_IGN)
    let source = ConfigurationSource(file: config)
    let loader = try source.loader()
    switch loader.load() {
    case .failure(let errors):
      try ConfigurationPrinter(json: false).print(errors)
      throw ExitCode(78)
    case .success(let loaded):
      let daemon = Daemon(loader, loaded, environment: ConfigurationSource.environment)
      do { try await daemon.run() } catch { throw CommandFailure.unavailable("\(error)") }
    }
  }
}
