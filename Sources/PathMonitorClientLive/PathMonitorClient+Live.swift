// SPDX-License-Identifier: Apache-2.0

public import PathMonitorClient

extension PathMonitorClient {
  /// A monitor over the kernel's routes, for a destination.
  ///
  /// A loss is told at once, a return once it has lasted a second, so that a link that comes and
  /// goes does not send anybody off. What the kernel does not tell is found by a read every 15
  /// seconds, and at once after the wall clock was set or the board slept. Where netlink cannot be opened the path is satisfied with the reason `unknown`.
  ///
  /// - Parameters:
  ///   - destination: Where the path should lead.
  ///   - rules: What the configuration says about interfaces.
  /// - Returns: The client; it watches while someone listens.
  public static func live(
    to destination: PathDestination = .internet, rules: PathRules = PathRules()
  ) -> PathMonitorClient {
    let monitor = NetlinkPathMonitor(PathInquiry(destination: destination, rules: rules))
    return PathMonitorClient { monitor.subscribe() }
  }
}
