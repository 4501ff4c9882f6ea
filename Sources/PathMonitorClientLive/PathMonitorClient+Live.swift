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
  /// - Returns: The monitor, which watches the path while there are subscriptions.
  public static func live(
    to destination: PathDestination = .internet, rules: PathRules = PathRules()
  ) -> PathMonitorClient {
    live(over: NetlinkPathMonitor(PathQuery(destination: destination, rules: rules)))
  }

  /// Returns a monitor of the kernel's routes to the internet over interfaces of one type.
  ///
  /// Corresponds to `NWPathMonitor(requiredInterfaceType:)`. The monitor ignores all other
  /// interfaces, even if the kernel prefers them. The path is unsatisfied with the reason
  /// `noPermittedInterface` while no interface of the type is up; otherwise the reason is about the
  /// interfaces of the type. A tunnel or bridge is `virtual`, whatever it uses.
  ///
  /// To use such a path, a program must bind its connection to an interface of the path. In all
  /// other respects, the monitor is the same as ``live(to:rules:)``.
  ///
  /// - Parameters:
  ///   - requiredInterfaceType: The type of the interfaces.
  ///   - rules: Rules for interfaces, from the configuration.
  /// - Returns: The monitor, which watches the path while there are subscriptions.
  public static func live(
    requiredInterfaceType: NetworkPath.Interface.Kind, rules: PathRules = PathRules()
  ) -> PathMonitorClient {
    live(to: .internet, rules: rules.requiring(requiredInterfaceType))
  }

  /// Returns a monitor of the kernel's routes to the internet over interfaces of all other types.
  ///
  /// Corresponds to `NWPathMonitor(prohibitedInterfaceTypes:)`. The monitor ignores the interfaces
  /// of the given types as ``live(requiredInterfaceType:rules:)`` ignores all but one type.
  ///
  /// - Parameters:
  ///   - prohibitedInterfaceTypes: The types of interface to ignore.
  ///   - rules: Rules for interfaces, from the configuration.
  /// - Returns: The monitor, which watches the path while there are subscriptions.
  public static func live(
    prohibitedInterfaceTypes: [NetworkPath.Interface.Kind], rules: PathRules = PathRules()
  ) -> PathMonitorClient {
    live(to: .internet, rules: rules.prohibiting(prohibitedInterfaceTypes))
  }

  static func live(over monitor: NetlinkPathMonitor) -> PathMonitorClient {
    PathMonitorClient { monitor.subscribe() }
  }
}
