// SPDX-License-Identifier: Apache-2.0

public import PathMonitorClient

extension PathMonitorClient {
  /// A monitor over the kernel's routes, for a destination.
  ///
  /// Where netlink cannot be opened the path is satisfied with the reason `unknown`.
  ///
  /// - Parameter destination: Where the path should lead.
  /// - Returns: The client; it watches while someone listens.
  public static func live(to destination: PathDestination = .internet) -> PathMonitorClient {
    let monitor = NetlinkPathMonitor(to: destination)
    return PathMonitorClient { monitor.subscribe() }
  }
}
