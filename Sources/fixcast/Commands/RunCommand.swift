// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import FixcastConfiguration
import Glibc

/// `fixcast run`: the daemon.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run the daemon: read the receiver, look up the weather, serve authorized programs.",
    discussion: """
      Needs no configuration. Without one it reads gpsd if it runs, otherwise any receiver that is \
      connected, and serves programs on /run/fixcast/fixcast.sock. Reads \
      /etc/fixcast/config.toml and /etc/fixcast/conf.d/*.toml, or only the file of --config, and \
      reloads them on SIGHUP (systemctl reload fixcast). If the new configuration is invalid, each \
      error is logged and the previous one stays active. Stops on SIGTERM and SIGINT.

      The environment variables FIXCAST_SOCKET and FIXCAST_STATE_DIRECTORY override socket and \
      state_directory of the configuration, for the daemon and for commands.

      Exits 66 if the file of --config does not exist, 69 if the daemon cannot serve, 78 if the \
      configuration is invalid.
      """)

  @Option(name: .long, help: "Configuration file, instead of the files in /etc/fixcast.")
  var config: String?

  func run() async throws {
    // A closed pipe fails the write instead of ending the program.
    signal(SIGPIPE, SIG_IGN)
    // Until the daemon handles SIGHUP: the default action would end it for good.
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
