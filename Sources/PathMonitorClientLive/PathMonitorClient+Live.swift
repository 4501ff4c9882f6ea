// SPDX-License-Identifier: Apache-2.0

public import PathMonitorClient

extension PathMonitorClient {
  /// A monitor over the kernel's routes, for a destination.
  ///
  /// A loss is told at once, a return once it has lasted a second, so that a link that comes and
  /// goes does not send anybody off. What the kernel does not tell is found by a read every 15
  /// seconds, and at once after the wall clock was set, the board slept or `/etc/resolv.conf`
  /// changed. Where netlink cannot be opened the path is satisfied with the reason `unknown`.
  ///
  /// While nothing changes, its own thread wakes for that read alone: four times a minute. A process
  /// that uses Dispatch at all is woken once a second besides, by Dispatch's own watch over its
  /// threads (`_dispatch_workq_monitor_pools`), which cannot be turned off; the monitor has no part
  /// in that. What could not be read is tried again after 50 ms, then twice as late each time.
  ///
  /// What bytes cost is judged by the configuration first, then by NetworkManager where it runs
  /// (asked with each read, over the system's D-Bus), then by the kind of the interface.
  ///
  /// - Parameters:
  ///   - destination: Where the path should lead.
  ///   - rules: What the configuration says about interfaces.
  /// - Returns: The client; it watches while someone listens.
  public static func live(
    to destination: PathDestination = .internet, rules: PathRules = PathRules()
  ) -> PathMonitorClient {
    live(over: NetlinkPathMonitor(PathInquiry(destination: destination, rules: rules)))
  }

  static func live(over monitor: NetlinkPathMonitor) -> PathMonitorClient {
    PathMonitorClient { monitor.subscribe() }
  }
}
