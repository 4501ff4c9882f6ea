// SPDX-License-Identifier: Apache-2.0

public import PathMonitorClient

extension PathMonitorClient {
  /// Returns a monitor of the kernel's routes to a destination.
  ///
  /// A loss is published at once. A satisfied path after a loss is published once it has lasted for
  /// a second, so that an unstable link does not trigger requests. The kernel does not report all
  /// changes. The monitor therefore also reads the state every 15 seconds, and at once after the
  /// wall clock is set, the board resumes from suspend or `/etc/resolv.conf` changes. If netlink
  /// cannot be opened, the path is satisfied with the reason `unknown`.
  ///
  /// While nothing changes, the monitor's thread wakes only for the periodic read, four times a
  /// minute. In a process that uses Dispatch, a thread of Dispatch also wakes once a second
  /// (`_dispatch_workq_monitor_pools`); this cannot be disabled. A failed read is repeated after 50
  /// milliseconds; each further failure doubles this delay.
  ///
  /// Three sources determine whether the path is metered, in this order: the rules, NetworkManager
  /// if it is running (queried with each read over the system D-Bus), and the kind of the
  /// interface.
  ///
  /// - Parameters:
  ///   - destination: The destination of the path.
  ///   - rules: Rules for interfaces, from the configuration.
  /// - Returns: The client, which watches the path while there are subscriptions.
  public static func live(
    to destination: PathDestination = .internet, rules: PathRules = PathRules()
  ) -> PathMonitorClient {
    live(over: NetlinkPathMonitor(PathQuery(destination: destination, rules: rules)))
  }

  static func live(over monitor: NetlinkPathMonitor) -> PathMonitorClient {
    PathMonitorClient { monitor.subscribe() }
  }
}
