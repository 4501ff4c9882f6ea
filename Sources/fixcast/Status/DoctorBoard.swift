// SPDX-License-Identifier: Apache-2.0

import Daemon
import DaemonProtocol
import Doctor
import FixcastConfiguration
import Glibc
import LocationServices

extension DoctorSnapshot.Board {
  /// Looks at the files, as far as this user may read them.
  static func ofFiles() -> Self {
    var board = Self()
    let files = ConfigurationFiles(root: BoardDaemon.variable("FIXCAST_ROOT") ?? "")
    let read = files.read().flatMap { DaemonConfiguration.read($0, catalog: .known) }
    switch read {
    case .failure(let errors): board.take(errors, isRoot: geteuid() == 0)
    case .success(let configuration):
      board.configurationWarnings = configuration.weather.providers.compactMap { provider in
        provider.cleartextWarning.map { "weather.\(provider.name).base_url: \($0)" }
      }
    }
    let places = AuthPathOptions.ofRules
    board.policyFaults = PolicyCheck.errors(in: places.folders).all.map { "\($0)" }
    if let ledger = try? places.store.read(), ledger.isSwitchedOff {
      board.switchOn = switchOnCommand
    }
    return board
  }

  /// Takes what is wrong with the files: what cannot be read may be in order.
  private mutating func take(_ errors: SettingsErrors, isRoot: Bool) {
    for error in errors.all {
      if case .unreadable = error.problem, !isRoot {
        unreadFiles.append("\(error)")
      } else {
        configurationFaults.append("\(error)")
      }
    }
  }

  /// Takes what the daemon says: it may have been given files of its own, and may read all of them.
  mutating func take(_ status: DaemonStatus) {
    switchOn = status.authorization.isDeniedGlobally ? Self.switchOnCommand : nil
    guard let overview = DaemonOverview(json: status.daemon) else { return }
    daemonStatus = overview.authorization
    unreadFiles = []
    let goesOn = "the configuration before it is in force"
    configurationFaults = (overview.configuration?.wrong ?? []).map { "\($0); \(goesOn)" }
    if overview.configuration?.isBroken == true, configurationFaults.isEmpty {
      configurationFaults = ["what its files say is wrong; \(goesOn)"]
    }
  }

  private static var switchOnCommand: String {
    AuthPathOptions.ofRules.command(["sudo", "fixcast", "auth", "reset", "everyone"])
  }
}
