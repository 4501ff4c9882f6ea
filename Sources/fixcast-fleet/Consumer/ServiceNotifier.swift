// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SystemSupport

/// Reports to the service manager that the consumer runs.
///
/// Source: sd_notify(3).
struct ServiceNotifier: Sendable {
  private let socket = getenv("NOTIFY_SOCKET").map {
    UnixDatagramSocket(address: String(cString: $0))
  }

  /// Sends the state of a running service, and feeds its watchdog.
  func alive(_ status: String) {
    try? socket?.send(Array("READY=1\nWATCHDOG=1\nSTATUS=\(status)".utf8))
  }
}
