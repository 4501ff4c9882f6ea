// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SystemSupport

/// Sends service states to the service manager without blocking.
///
/// Source: sd_notify(3).
package struct ServiceNotifier: Sendable {
  private let socket: UnixDatagramSocket?
  /// The maximum time between two ``ServiceState/watchdog`` messages; `nil` without a watchdog.
  package let watchdogInterval: Duration?

  /// Reads the variables of sd_notify(3) from the environment.
  ///
  /// Ignores a watchdog for another process. `processID` is this service's process; `nil` for the
  /// current process.
  package init(
    environment: (String) -> String? = ServiceNotifier.environment, processID: Int32? = nil
  ) {
    // Relative paths are invalid. Vsock addresses, which notify the host of a virtual machine, are
    // not supported.
    let address = environment("NOTIFY_SOCKET").flatMap {
      $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil
    }
    socket = address.map { UnixDatagramSocket(address: $0) }
    watchdogInterval = Self.watchdogInterval(environment, processID ?? getpid())
  }

  package var isNotifying: Bool { socket != nil }

  /// Sends all states in one message; does nothing without a service manager.
  package func notify(_ states: ServiceState...) throws(DatagramError) {
    guard let socket else { return }
    let text = states.map(\.assignment).joined(separator: "\n")
    try socket.send(Array(text.utf8))
  }

  package static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  private static func watchdogInterval(
    _ environment: (String) -> String?, _ processID: Int32
  ) -> Duration? {
    guard let text = environment("WATCHDOG_USEC"), let microseconds = Int64(text),
      microseconds > 0
    else { return nil }
    if let owner = environment("WATCHDOG_PID"), Int32(owner) != processID { return nil }
    return .microseconds(microseconds)
  }
}
