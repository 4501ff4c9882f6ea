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
      Without a configuration file, the daemon reads from gpsd if gpsd is running, otherwise from \
      any connected receiver, and serves programs on /run/fixcast/fixcast.sock. Reads \
      /etc/fixcast/config.toml and /etc/fixcast/conf.d/*.toml, or only the file given with \
      --config, and reloads the files on SIGHUP (systemctl reload fixcast). If the new \
      configuration is invalid, each error is logged and the previous configuration stays active. \
      Stops on SIGTERM and SIGINT.

      The environment variables FIXCAST_SOCKET and FIXCAST_STATE_DIRECTORY override the socket and \
      state_directory settings, for the daemon and for commands.

      Exits 66 if the file given with --config does not exist, 69 if the daemon cannot serve, 78 \
      if the configuration is invalid.

      Examples:
        fixcast run --config ./test.toml
      """)

  @Option(
    name: .long, help: "Configuration file, instead of the files in /etc/fixcast.",
    completion: .file())
  var config: String?

  func run() async throws {
    // Makes a write to a closed pipe fail instead of killing the program.
    signal(SIGPIPE, SIG_IGN)
    // Ignored until the daemon handles SIGHUP: the default action would kill the program.
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
