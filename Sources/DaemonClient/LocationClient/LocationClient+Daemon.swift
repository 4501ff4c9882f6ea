// SPDX-License-Identifier: Apache-2.0

public import DaemonProtocol
public import LocationClient
public import LocationServices

extension LocationClient {
  /// A client of this board: by its daemon where there is one now, else in this process.
  ///
  /// Each is over a manager of its own.
  ///
  /// - Parameters:
  ///   - purpose: What the program wants locations for, in words for whoever decides.
  ///   - daemon: Where the daemon listens.
  ///   - alternative: What the program does by itself where there is no daemon.
  ///   - storage: Where regions and visits survive a restart; `nil` for nowhere.
  /// - Returns: The client.
  public static func live(
    purpose: String, daemon: DaemonAddress = .ofEnvironment,
    otherwise alternative: InProcess, storage: (any MonitoringStorage)? = nil
  ) -> LocationClient {
    .live(
      LocationManager(
        purpose: purpose, daemon: daemon, otherwise: alternative, storage: storage))
  }
}
