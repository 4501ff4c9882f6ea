// SPDX-License-Identifier: Apache-2.0

public import PathMonitorClient

extension PathMonitorClient {
  /// Returns a monitor of the kernel's routes to a destination.
  ///
  /// A loss is published at once. A satisfied path after a loss is published once it has lasted for
  /// a second, so that an unstable link does not trigger requests. The kernel does not notify all
  /// changes; the monitor also reads every 15 seconds, and at once after the wall clock is set, the
  /// board resumes from suspend or `/etc/resolv.conf` changes. If netlink cannot be opened, the
  /// path is satisfied with the reason `unknown`.
  ///
  /// While nothing changes, the monitor's thread wakes only for that read, four times a minute. In
  /// a process that uses Dispatch, Dispatch also wakes once a second to monitor its own threads
  /// (`_dispatch_workq_monitor_pools`), which cannot be disabled. A failed read is repeated after
  /// 50 ms, and then after twice the delay each time.
  ///
  /// Whether the path is metered depends first on the rules, then on NetworkManager if it is
  /// running (queried with each read over the system D-Bus), then on the kind of the interface.
  ///
  /// - Parameters:
  ///   - destination: The destination of the path.
  ///   - rules: Rules for interfaces, from the configuration.
  /// - Returns: The client; it watches while there are subscriptions.
  public static func live(
    to destination: PathDestination = .internet, rules: PathRules = PathRules()
  ) -> PathMonitorClient {
    live(over: NetlinkPathMonitor(PathQuery(destination: destination, rules: rules)))
  }

  static func live(over monitor: NetlinkPathMonitor) -> PathMonitorClient {
    PathMonitorClient { monitor.subscribe() }
  }
}
