// SPDX-License-Identifier: Apache-2.0

import Daemon
import DaemonProtocol
import Doctor
import FixcastConfiguration
import Glibc
import LocationServices
import Pipeline
import Plugins
import Positioning

extension DoctorSnapshot.Board {
  /// Reads the configuration, rules and answers that this user has permission to read.
  static func ofFiles() -> Self {
    var board = Self()
    let files = ConfigurationFiles(root: DaemonLocator.variable("FIXCAST_ROOT") ?? "")
    let permitted = files.readPermitted()
    // A file that this user may not read is not a fault, since the file may be valid.
    board.unreadableFiles = permitted.denied.map { "\($0)" }
    switch permitted.table.flatMap({ DaemonConfiguration.read($0, catalog: .known) }) {
    case .failure(let errors): board.configurationFaults = errors.all.map { "\($0)" }
    case .success(let configuration):
      board.sources = configuration.sources.compactMap {
        DoctorSnapshot.ConfiguredSource($0.specification)
      }
      board.timeSockets = configuration.plugins.compactMap { plugin in
        guard plugin.role == .sink, plugin.type == ChronySink.plugin.name else { return nil }
        return ChronySink.socketPath(plugin.settings).map { .init(path: $0) }
      }
      board.configurationWarnings = configuration.weather.providers.compactMap { provider in
        provider.cleartextWarning.map { "weather.\(provider.name).base_url: \($0)" }
      }
    }
    let places = AuthPathOptions.rulePaths
    board.policyFaults = PolicyCheck.errors(in: places.folders).all.map { "\($0)" }
    if let ledger = try? places.store.read(), ledger.isSwitchedOff {
      board.switchOn = switchOnCommand
    }
    return board
  }

  /// Adds the daemon's status, which replaces the errors that were found without the daemon.
  mutating func update(with status: DaemonStatus) {
    switchOn = status.authorization.isDeniedGlobally ? Self.switchOnCommand : nil
    guard let overview = DaemonOverview(json: status.daemon) else { return }
    daemonStatus = overview.authorization
    unreadableFiles = []
    let consequence = "the previous configuration is still active"
    configurationFaults = (overview.configuration?.wrong ?? []).map { "\($0); \(consequence)" }
    configurationFaults += overview.configuration?.secretErrors ?? []
    if overview.configuration?.isBroken == true, configurationFaults.isEmpty {
      configurationFaults = ["the daemon's files are invalid; \(consequence)"]
    }
  }

  private static var switchOnCommand: String {
    AuthPathOptions.rulePaths.command(["sudo", "fixcast", "auth", "reset", "everyone"])
  }
}

extension DoctorSnapshot.ConfiguredSource {
  /// Examines a configured source, without opening it; `nil` for `auto`, which names no source.
  init?(_ source: SourceSpecification) {
    guard source != .auto else { return nil }
    var device = Device.available
    if case .serial(let path, _, _) = source, access(path, R_OK) != 0 {
      device = errno == EACCES ? .unreadable : .missing
    }
    self.init(name: source.nameWithoutBaud, device: device)
  }
}

extension DoctorSnapshot.Permission {
  /// Evaluates the daemon's answer to this user.
  init(_ status: DaemonStatus, at places: PolicyPaths) {
    let reported = status.authorization
    let granted = reported.authorization
    if granted.status.isAuthorized {
      self = .allowed(isReduced: granted.accuracy == .reducedAccuracy)
      return
    }
    let predicted = PredictedVerdict(reported: reported, at: places)
    if predicted?.verdict.authorization.status.isAuthorized == true {
      self = .allowedOnRequest
      return
    }
    let words = status.client.split(separator: " ").map(String.init)
    let client = (try? ClientSelector(words: words)).map(places.text) ?? status.client
    let isLocked = (predicted?.verdict.authorization.status ?? granted.status) == .restricted
    let waits = reported.isPending ? ": its request is waiting for an operator" : ""
    self = .none(
      reason: "\(client) may not know where the board is\(waits)",
      remedy: places.command(["sudo", "fixcast", "auth", isLocked ? "explain" : "allow", client]))
  }
}

extension DaemonOverview.Weather {
  /// The last failed lookup; `nil` if the last lookup succeeded.
  var failedLookup: DoctorSnapshot.FailedLookup? {
    lastError.map {
      DoctorSnapshot.FailedLookup(
        error: $0, errorAgeSeconds: errorAgeSeconds, failingSeconds: failingSeconds,
        retrySeconds: held == nil ? retryAfterSeconds : nil, advice: advice)
    }
  }
}
